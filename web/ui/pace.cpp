// How fast it will be and what holds it back, in two lines under the limits.
#include "core/advise/performance.h"
#include "web/ui/panels.h"
#include "web/ui/widgets.h"

namespace ui {
namespace {

std::string range(const vram::Language& language, const vram::speed::Band& band, int digits) {
  const std::string low = language.number(band.low, digits), high = language.number(band.high, digits);
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
      lines.push_back(session.say(vram::Message("page.job_energy").with("kwh", language.number(*time.energy_kwh, 0))));
    }
  }
  if (!answered.speed || answered.plan.verdict == vram::Verdict::does_not_fit) return lines;
  const vram::speed::Speed& speed = *answered.speed;
  const int digits = speed.per_user.likely < 10 ? 1 : 0;
  lines.push_back(session.say(vram::Message("page.speed_user")
                                  .with("rate", range(language, speed.per_user, digits))
                                  .with("total", range(language, speed.total, 0))));
  lines.push_back(session.say(
      vram::Message("page.speed_first").with("seconds", range(language, speed.first_token, speed.first_token.likely < 1 ? 2 : 1))));
  const vram::speed::Limit limit = speed.limit();
  lines.push_back(session.say(
      vram::Message("page.speed_limit")
          .with("cause", vram::MessageKey{"speed.cause." + std::string(vram::speed::cause_key(limit.cause))})
          .with("percent", language.number(limit.share * 100, 0))));
  return lines;
}

}  // namespace ui
