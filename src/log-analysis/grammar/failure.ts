/** Words of failure, and the same words where they are not about one. Pure. */
import { anyOf, fromWord, words } from '../any-of.ts';

/** Words of failure, for lines without a level. */
const BAD = words(
  /errors?/i,
  /not ok \d+/i,
  /do(?:n't| not) know/i,
  /no rule to/i,
  /fail(?:ed|s|ure|ing)?/i,
  /cannot/i,
  /can't/i,
  /can not/i,
  /could not/i,
  /couldn't/i,
  /unable/i,
  /denied/i,
  /refused/i,
  /rejected/i,
  /invalid/i,
  /illegal/i,
  /improper/i,
  /mandatory/i,
  /missing/i,
  /not found/i,
  /no such/i,
  /not set/i,
  /unset/i,
  /undefined/i,
  /unknown/i,
  /unexpected/i,
  /unrecogni[sz]ed/i,
  /unsupported/i,
  /not supported/i,
  /incompatible/i,
  /mismatch/i,
  /must (?:be|have|not|set)/i,
  /requires?/i,
  /required/i,
  /expected/i,
  /in use/i,
  /already exists/i,
  /already running/i,
  /tim(?:ed out|eout)/i,
  /exceed(?:ed|s)/i,
  /exhausted/i,
  /too (?:many|large|long|old|small|low)/i,
  /out of/i,
  /no space/i,
  /(?:is|are|was|already|disk|queue|pool|buffer|table|device|memory|partition|volume|cache|system|space) full/i,
  /corrupt(?:ed|ion)?/i,
  /expired/i,
  /unreachable/i,
  /forbidden/i,
  /unauthori[sz]ed/i,
  /not (?:allowed|permitted|valid|a directory|a valid|installed|writable|readable|owned|available|exist|defined|executable)/i,
  /read-only/i,
  /non-?existent/i,
  /broken/i,
  /abort(?:ed|ing)?/i,
  /crash(?:ed)?/i,
  /segfault/i,
  /segmentation fault/i,
  /fatal/i,
  /panic(?:ked)?/i,
  /assertion/i,
  /violat\w+/i,
  /locked/i,
  /traceback/i,
  /exception/i,
  /unbound/i,
  /is a directory/i,
  /doesn't/i,
  /does not/i,
  /didn't/i,
  /isn't/i,
  /won't/i,
  /aren't/i,
  /giv(?:ing|es) up/i,
  /gave up/i,
  /incorrect/i,
  /wrong/i,
  /malformed/i,
  /syntax/i,
  /unresolved/i,
  /disconnected/i,
  /closed unexpectedly/i,
  /reset by peer/i,
  /no route/i,
  /lacks?/i,
  /stale/i,
  /duplicate/i,
  /conflict\w*/i,
  /deadlock/i,
  /overflow/i,
  /killed/i,
  /bad/i,
  /(?:config\w*|file|value|password|name|key|token|setting|variable|argument|option|url|host|address) (?:is|are|was) empty/i,
  /(?:not|cannot|never) be (?:empty|blank|null)/i,
  /has no/i,
  /have no/i,
  /not configured/i,
  /never (?:defined|declared|set|registered)/i,
  /did you mean/i,
  /no (?:\w+ )?(?:declaration|definition|route|handler|driver|permission|interface|listener|credentials)/i,
  /no \w+ (?:is |are )?(?:named|called|configured|specified|given|defined|found)/i,
);
const BAD_NAME = anyOf(
  /\bE(?:CONN\w+|NOENT|ACCES|PERM|ADDR\w+|NOTFOUND|AI_[A-Z]+|TIMEDOUT|PIPE|HOST\w+|NET\w+|[MN]FILE|NOSPC|ROFS|ISDIR|NOTDIR|EXIST|INVAL|NOMEM|BUSY|IO|NOTEMPTY|PROTO\w*|LOOP|NAMETOOLONG|NODEV|NXIO|FAULT|BADF|AGAIN|CANCELED|DQUOT|SRCH|CHILD|NOEXEC|NOT\w+|OPNOTSUPP|NOSYS|RANGE|DEADLK|STALE|USAGE|RESOLVE|LIFECYCLE|INTEGRITY|JSONPARSE)\b/,
  /\b(?:econnrefused|enoent|eacces|eaddrinuse|etimedout|nxdomain|ehostunreach)\b/,
  /[A-Za-z](?:Error|Exception)\b/,
);
/** The same words where they are not about a failure. */
const HARMLESS = fromWord(
  // "host db-0 failed" is about one.
  /(?<!-)0 (?:errors?|failed|failures)/i,
  /no errors?/i,
  /without errors?/i,
  /error[-_ ]?(?:log|page|handler|rate|reporting)s?\b/i,
  /(?:fail(?:ed|ures?)|errors?|timeouts?|rejected|dropped|lost|skipped|invalid|fatal|crit(?:ical)?)(?: \w{1,12})?[=:] ?(?:0\b|none\b)/i,
  /\b\d+ (?!already|is\b|are\b|was\b|port|address)\w+ in use/i,
  /on[- ]failure/i,
  /failover/i,
  /fail[- ]?fast/i,
  /errors will be/i,
);

export function isBad(text: string): boolean {
  if (BAD_NAME.test(text)) return true;
  return BAD.test(text) && !(HARMLESS.test(text) && !BAD.test(text.replace(EACH_HARMLESS, '')));
}

const EACH_HARMLESS = new RegExp(HARMLESS.source, `${HARMLESS.flags}g`);

/** What a program does without: it says so, and goes on. */
const TOLERATED = words(
  /using (?:the |its )?(?:built-in )?defaults?/i,
  /ignor(?:ing|ed)/i,
  // What was not reached is told as the cause.
  /skipp(?:ing|ed)(?!: .{0,120}(?:\bFATAL\b|connection.{0,80}(?:failed|refused)|could not connect|cannot connect|access denied|authentication failed))/i,
  /continuing/i,
  /going on/i,
  /fall(?:ing|s)? back/i,
  /defaulting to/i,
  /not found in \S{1,200} - \w+ing/i,
  /not fatal/i,
  /pid file\b.{0,80}\bto see if/i,
  /non-?fatal/i,
  /non-?critical/i,
  /non critical/i,
  /(?:tracing|telemetry|metrics|sentry|(?:error |crash |usage )?report(?:ing|s)|monitoring|analytics|cach(?:e|ing)|profil(?:er|ing)|notifications?|logging|exporters?) (?:is |are |will be |has been |was )?(?:disabled|turned off|off|not available|inactive)/i,
);
const DEPRECATED = /\bdeprecated\b/i;

/** What a peer answers concerns more than one piece of work, though a program goes on without it. */
const TURNED_AWAY = /\b(?:40[13]|5\d\d) (?:Client|Server) Error\b|\bstatus(?: ?code)? (?:40[13]|50[0-4])\b/i;

export function isTolerated(text: string): boolean {
  return !TURNED_AWAY.test(text) && (TOLERATED.test(text) || (DEPRECATED.test(text) && !/^error\b/i.test(text)));
}

/** A program that does not like its user, but goes on. */
const AS_ROOT =
  /\b(?:is )?running as (?:root|superuser|administrator)\b(?!.*\b(?:not (?:allowed|permitted|supported)|refus|forbidden))/i;

/** What Python's warnings module prints. */
const OF_WARNINGS = /^\S{1,300}\.py:\d{1,7}: \w{0,60}Warning: /;

export function isOnlyWarning(text: string): boolean {
  return AS_ROOT.test(text) || OF_WARNINGS.test(text);
}
