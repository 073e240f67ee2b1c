// How fast it will be and what holds it back, in two lines under the limits.
#include "core/advise/performance.h"
#include "core/report/advise.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

std::string range(const vram::Language& language, const vram::speed::Band& band) {
  const std::string low = vram::rate_text(band.low, language), high = vram::rate_text(band.high, language);
  return low == high ? low : low + "\xE2\x80\x93" + high;
}

}  // namespace

std::vector<std::string> pace_sentences(const Session& session) {
  const Answered& answered = *session.answered;
  const vram::Language language = session.language();
  std::vector<std::string> lines;
  if (answered.time) {
    const vram::speed::TrainingTime& time = *answered.time;
    lines.push_back(session.say(vram::Message("page.job_takes")
                                    .with("low", language.number(time.hours_low, 1))
                                    .with("high", language.number(time.hours_high, 1))));
    if (time.energy_kwh) {
      lines.push_back(session.say(vram::Message("page.job_energy").with("kwh", vram::rate_text(*time.energy_kwh, language))));
    }
  }
  if (!answered.speed || answered.plan.verdict == vram::Verdict::does_not_fit) return lines;
  const vram::speed::Speed& speed = *answered.speed;
  lines.push_back(session.say(vram::Message("page.speed_user")
                                  .with("rate", range(language, speed.per_user))
                                  .with("total", range(language, speed.total))));
  lines.push_back(session.say(
      vram::Message("page.speed_first").with("seconds", range(language, speed.first_token))));
  const vram::speed::Limit limit = speed.limit();
  lines.push_back(session.say(
      vram::Message("page.speed_limit")
          .with("cause", vram::MessageKey{"speed.cause." + std::string(vram::speed::cause_key(limit.cause))})
          .with("percent", language.number(limit.share * 100, 0))));
  return lines;
}

}  // namespace ui
