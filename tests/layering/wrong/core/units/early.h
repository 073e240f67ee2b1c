// Wrong on purpose: units come before plans. Read by the test layering_finds_a_violation only.
#pragma once
#include "core/plan/late.h"
