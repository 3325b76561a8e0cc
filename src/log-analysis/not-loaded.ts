/** Finds why a server that runs has not loaded an application that it should serve: pages of it are answered with 404, 500 or 503. Pure. */
import { anyOf } from './any-of.ts';
import { isConsequence } from './grammar/index.ts';
import type { Candidate } from './candidate.ts';
import { type DecisiveLine, describe } from './describe.ts';
import { partsOfMessages } from './messages.ts';
import { pick } from './pick.ts';
import { understoodLog } from './understood-log.ts';
import { weigh } from './weigh.ts';

/** What servers say when they go on without an application. */
const NOT_LOADED = anyOf(
  // Tomcat, Jetty, WildFly, GlassFish
  /\bcontext \[[^\]]{0,200}\] startup failed/i,
  /\bone or more (?:listeners|filters) failed to start/i,
  /\berror deploying (?:web application|configuration descriptor)/i,
  /\bfailed startup of context\b/i,
  /\bWFLYCTL0013: operation \("(?:deploy|add)"\) failed/i,
  /\bexception while (?:deploying|loading) the app\b/i,
  // uWSGI, mod_wsgi, Unit, Passenger
  /\bunable to load app \d/i,
  /\bno app loaded\b/i,
  /\bmod_wsgi \(pid=\d+\): (?:failed to exec python script|target wsgi script\b.{1,300}(?:cannot be loaded|does not contain))/i,
  /\bcould not spawn process for application\b/i,
  /\bapplication process .{0,60}(?:failed to start|exited prematurely)/i,
  /\b(?:could not|cannot|can't|failed to|unable to|error) (?:load|deploy|start|mount|import|register)(?:ing)? (?:the )?(?:\w{1,20} )?(?:web ?app(?:lication)?|application|app|servlet|blueprint|context|war|bundle)\b/i,
  /\b(?:web ?app(?:lication)?|application|servlet|blueprint|war|bundle) ["'`[]?[\w./-]{1,100}["'`\]]? (?:failed to (?:load|deploy|start)|(?:was|is) not (?:loaded|deployed|started)|could not be (?:loaded|deployed|started|mounted))/i,
);
/** An application that is there after all. */
const LOADED =
  /\bWSGI app \d+ \(mountpoint=[^)]{0,200}\) ready\b|\breloading context with name \[[^\]]{0,200}\] is completed/i;

/** Lines above in which the cause may stand, and below, where a trace may follow. */
const LINES_ABOVE = 60;
const LINES_BELOW = 30;
const MIN_SCORE = 10;

/**
 * The cause, secrets masked; undefined: no line tells of an application that was not loaded.
 *
 * @param lines the log's last lines, oldest first
 */
export function notLoaded(lines: readonly string[]): DecisiveLine | undefined {
  const { roled, dialects } = understoodLog(lines);
  const at = roled.findLastIndex(({ role, text }) => role !== 'frame' && NOT_LOADED.test(text));
  if (at === -1 || roled.slice(at + 1).some(({ text }) => LOADED.test(text))) return undefined;
  const parts = partsOfMessages(roled);
  const candidates = roled.flatMap((line, position): readonly Candidate[] => {
    const isNear = position >= at - LINES_ABOVE && position <= at + LINES_BELOW;
    if (!isNear || line.role === 'frame' || line.part === true || parts.has(position)) return [];
    if (position > at + 1 && line.trace === undefined) return [];
    const weight = weigh(line, dialects, roled[position + 1]);
    return weight === undefined || weight.score < MIN_SCORE ? [] : [{ line, position, ...weight }];
  });
  const causes = candidates.filter(({ line }) => !isConsequence(line.text) && !saysOnlyThat(line.text));
  const own = candidates.filter(({ line }) => NOT_LOADED.test(line.text));
  const best = pick(causes) ?? pick(own.filter(({ line }) => !isConsequence(line.text))) ?? own.at(-1);
  return best === undefined ? undefined : describe(best, roled, candidates, dialects);
}

/** Whether it says that an application was not loaded, and nothing of why. */
function saysOnlyThat(text: string): boolean {
  return NOT_LOADED.test(text) && !/: \S{2,200} \S|(?:Error|Exception)\b/.test(text);
}
