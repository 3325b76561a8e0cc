/** The general grammar of logs: words of failure, of recovery and of closing. Pure. */

/** Words of failure, for lines without a level. */
const BAD =
  /\b(?:errors?|not ok \d+|do(?:n't| not) know|no rule to|fail(?:ed|s|ure|ing)?|cannot|can't|can not|could not|couldn't|unable|denied|refused|rejected|invalid|illegal|missing|not found|no such|not set|unset|undefined|unknown|unexpected|unrecogni[sz]ed|unsupported|not supported|incompatible|mismatch|must (?:be|have|not|set)|requires?|required|expected|in use|already exists|tim(?:ed out|eout)|exceed(?:ed|s)|exhausted|too (?:many|large|long|old|small|low)|out of|no space|full(?! (?:report|log|text|list|path|name|trace|output|stack|details))|corrupt(?:ed|ion)?|expired|unreachable|forbidden|unauthori[sz]ed|not (?:allowed|permitted|valid|a directory|a valid|installed|writable|readable|owned|available|exist|defined|executable)|read-only|non-?existent|broken|abort(?:ed|ing)?|crash(?:ed)?|segfault|segmentation fault|fatal|panic(?:ked)?|assertion|violat\w+|locked|traceback|exception|unbound|is a directory|doesn't|does not|didn't|isn't|won't|aren't|giv(?:ing|es) up|gave up|incorrect|wrong|malformed|syntax|unresolved|disconnected|closed unexpectedly|reset by peer|no route|lacks?|stale|duplicate|conflict\w*|deadlock|overflow|killed|bad|(?:config\w*|file|value|password|name|key|token|setting|variable|argument|option|url|host|address) (?:is|are|was) empty|(?:not|cannot|never) be (?:empty|blank|null)|has no|have no|not configured|never (?:defined|declared|set|registered)|did you mean|no (?:\w+ )?(?:declaration|definition|route|handler|driver|permission|interface|listener|credentials)|no \w+ (?:is |are )?(?:named|called|configured|specified|given|defined|found))\b/i;
const BAD_NAME =
  /\bE(?:CONN\w+|NOENT|ACCES|PERM|ADDR\w+|NOTFOUND|AI_[A-Z]+|TIMEDOUT|PIPE|HOST\w+|NET\w+|[MN]FILE|NOSPC|ROFS|ISDIR|NOTDIR|EXIST|INVAL|NOMEM|BUSY|IO|NOTEMPTY|PROTO\w*|LOOP|NAMETOOLONG|NODEV|NXIO|FAULT|BADF|AGAIN|CANCELED|DQUOT|SRCH|CHILD|NOEXEC|NOT\w+|OPNOTSUPP|NOSYS|RANGE|DEADLK|STALE|USAGE|RESOLVE|LIFECYCLE|INTEGRITY|JSONPARSE)\b|\b(?:econnrefused|enoent|eacces|eaddrinuse|etimedout|nxdomain|ehostunreach)\b|[A-Za-z](?:Error|Exception)\b/;
/** The same words where they are not about a failure. */
const HARMLESS =
  /\b(?:0 (?:errors?|failed|failures)|no errors?|without errors?|error[-_ ]?(?:log|page|handler|rate|reporting)s?\b|failed: ?0|errors?[=:] ?0\b|\b\d+ (?!already|is\b|are\b|was\b|port|address)\w+ in use|on[- ]failure|failover|fail[- ]?fast|errors will be)/i;

export function isBad(text: string): boolean {
  if (BAD_NAME.test(text)) return true;
  return BAD.test(text) && !(HARMLESS.test(text) && !BAD.test(text.replace(HARMLESS, '')));
}

/** Words after which what went wrong before counts as overcome; the whole program works. */
const READY =
  /\b(?:(?:is |are |now |and |all )?ready(?! state| for shutdown)(?: to| for|\b)|listening (?:on|at|to|for)|listens on|started (?:successfully|in \d+|with pid)|started\b[^:]{0,40}\bpid \d+|(?:started|booted) \S{1,60}(?: \S{1,60})? in [\d.]+ ?(?:ms|s|sec|seconds)\b|up (?:at|on) (?:http|port|\S+:\d)|entered running state|startup in \[?\d+|(?:successfully|fully) (?:started|initiali[sz]ed|connected|reconnected|recovered)|startup (?:complete|finished|done)|server (?:started|running|is (?:up|running|listening))|accepting (?:connections|requests)|serving (?:on|at|requests|traffic|http|https)|up and running|running (?:on|at) (?:http|port|0\.0)|healthy again|back to normal|recovered|reconnected|(?:re-?)?connected (?:to|successfully|again)|connection (?:established|restored|(?:is )?ok\b|succeeded|recovered)|retry succeeded|succeeded (?:after|on|at)|succeeded$|version \S+ running|resumed|resuming normal|service (?:is )?(?:up|available)|connection to \S+ (?:established|restored|ok)|(?:migration|migrations|initiali[sz]ation|job|task|request|sync|backup|import|upload|download|connect|reconnect|login|query|write|reload)s? (?:complete[d]?|succeeded|done|finished|ok|applied)(?: successfully)?|done(?: after \d+ (?:attempts|tries|retries))?$|ok after \d+|works again|now (?:up|available|connected|serving|works)|(?:is|are) (?:back(?: up)?|up|reachable|online|alive)(?: again| now| after \d+.{0,20})?[.!]?$)\b/i;
const NOT_READY =
  /\b(?:not|never|isn't|cannot|can't|un|closing|stopping|before|until|waiting (?:for|until)|wait(?:s|ed)? for|when|once|if|to be|is not|no longer|failed|error|will be|trying)\b/i;
/** A line of an access log with a good answer. */
const SERVED =
  /"(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS) \S{1,500}(?: HTTP\/[\d.]+)?" (?:[23]\d\d)\b|\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) \/\S{0,500}(?: HTTP\/[\d.]+)? (?:-> |=> |- )?[23]\d\d\b|\bstatus[=: ]"?[23]\d\d\b/;

/** What each offer has; most lines are spared the long pattern. */
const MAY_OFFER = /ing .{0,60}(?::\d\d|:\/\/)/;
/** "Providing metrics at :9121/metrics" */
const OFFERS =
  /^(?!start|launch|open|bind|try|attempt|connect|wait|fail|dial|boot|initiali|creat|load|read|us)\w{3,20}ing (?:[\w-]{1,20} ){0,3}(?:at|on|via) (?:https?:\/\/\S{1,200}|[\w.*[\]-]{0,100}:\d{2,5}[\w/.-]{0,100})$/i;

export function isReady(text: string): boolean {
  if (SERVED.test(text)) return true;
  return (
    (READY.test(text) || (MAY_OFFER.test(text) && OFFERS.test(text))) && !NOT_READY.test(text) && !isQuestion(text)
  );
}

/** A client that came, which only a program that works can tell of. */
const SERVING =
  /\b(?:accept(?:ed|ing|s)?\b.{0,40}\b(?:connections?|clients?|sessions?|requests?)|(?:connection|connect|session|request|query|login|client)\b.{0,40}\b(?:from|opened|accepted|received)\b|(?:new|incoming|inbound) (?:connection|client|session|request)|(?:starting|entering|running|started) (?:the )?(?:main|event|accept) ?loop|(?:main|event) loop (?:started|running)|configuration successful|all zones loaded|daemon(?:i[sz]ed| started)|^starting (?:(?:\w+ )?workers?|processing)\b|\bstarting workers$|^(?:[\w-]+ )?started[.!]?$|^(?:up and )?running$)/i;

export function isServing(text: string): boolean {
  return SERVING.test(text);
}

/** A line of an access log: the answer to one request. */
const ACCESS =
  /^[1-5]\d\d (?:GET|POST|PUT|HEAD|DELETE|PATCH) \/|"(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|-) ?\S{0,500}(?: HTTP\/[\d.]+)?" [1-5]\d\d\b|\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) \/\S{0,500}(?: HTTP\/[\d.]+)? (?:-> |=> |- )?[1-5]\d\d\b/;

export function isAccess(text: string): boolean {
  return ACCESS.test(text);
}

/** Words of work that goes on, after which an error before counts as overcome when no other follows. */
const GOES_ON =
  /\b(?:subscribed|joined|synchroni[sz]ed|synced|registered|processed|processing|rebuilt|restored|resolved|applied|fetched|online|continuing|fall(?:ing|s)? ?back|using .{1,40} instead|proceeding|next run|elected|available|consum(?:er|ing)|serving|polling|scheduled|in memory|warmed up|heartbeat|idle|answered[.!]?$|waiting for (?:jobs?|requests?|connections?|messages?|work|events|clients?|tasks?))\b/i;

export function isGoingOn(text: string): boolean {
  return GOES_ON.test(text) && !NOT_GOING_ON.test(text) && !isQuestion(text);
}

function isQuestion(text: string): boolean {
  return text.endsWith('?') || /^(?:is|are|was|do|does|did|has|have)\b/i.test(text);
}

const NOT_GOING_ON =
  /\b(?:not|never|no longer|isn't|cannot|can't|until|before|once|if|to be(?:come)?|become|failed|error|exiting|no \w+ available|timeout|timed out|waiting on|un\w+able)\b|: 0$/i;

/** Words of a try that is repeated: the error may be overcome by a success that is not about the whole program. */
const RETRY =
  /\b(?:retry(?:ing)?|retries left|attempt \d+|try \d+ of|will (?:retry|try again)|trying again|try again in|reconnect(?:ing)?|backing off|back-?off|next (?:try|attempt)|sleeping \d+|waiting \d+)\b/i;

export function isRetry(text: string): boolean {
  return RETRY.test(text);
}

/** What a program says when it ends for whatever reason. */
const CLOSING =
  /^(?:(?:gracefully |now |server |is |process |service )*(?:shutting down|shut ?down|stopping|stopped|exiting|exit(?:ed)?|terminat(?:ing|ed)|bye|goodbye|quit(?:ting)?|closing|cleaning up|finished|aborting|abort(?:ed)?)\b.{0,60}|.{0,40}\b(?:shutdown complete|shut down|exit(?:ing|ed)? (?:with )?(?:code|status|now)?[: ]*-?\d*)\.?$|goodbye.*|bye.*|killed|terminated|done|aborted(?: \(core dumped\))?|(?:make|gmake)(?:\[\d+\])?: \*\*\* \[.*|error: process exited.*|==\d+==aborting|exit status \d+|core dumped|signal: \w+|received (?:signal|sig\w+).*|caught sig\w+.*|got sig\w+.*)$/i;
/** Where more may be found, and how to ask. */
const ADVICE =
  /^(?:[>*] )?(?:(?:please )?(?:see|check|refer to|consult|run|use|try(?! \d)|visit|read|report)\b.{0,200}|for (?:more|further|help|details).{0,200}|usage:.*|hint:.*|n\.?b\.?:? .*|note:.*|tip:.*|did you mean.*|(?:identify|consider|configure|ensure|verify|specify|correct|provide|increase|possible (?:solutions|values|causes)|valid (?:values|options))\b.{0,300}|a complete log of this run.*|if you (?:are|want|think|need|believe).*|more (?:info(?:rmation)?|details)\b.*|to learn more.*|learn more.*|examine the log.*|https?:\/\/\S+|you (?:can|may|should|might) .*|make sure .*|this (?:usually|error|is|may|could) .*|to (?:list|see|show|get|view|find)\b.{0,60}\b(?:run|running|try|use|see|visit)\b.{0,100}|options:.*|alternatively,? .*|available (?:commands|options).*|available subcommands.*|try '.*)$/i;

export function isClosing(text: string): boolean {
  return CLOSING.test(text);
}

/** Words of advice within a sentence that goes over several lines. */
const ADVISES = /\b(?:please|you|your|visit|how to|learn more|mentioned above|knowledge base)\b/i;

export function advises(text: string): boolean {
  return ADVISES.test(text) || isAdvice(text);
}

export function isAdvice(text: string): boolean {
  return ADVICE.test(text);
}

/** Where more stands: no error of its own, whatever its level is. */
const POINTER =
  /^(?:for (?:more|further|help|details|additional)|(?:please )?(?:see|refer to|consult|visit)|a complete log|the (?:error|problem|offending line|issue) (?:appears|seems) to be)\b/i;

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

/** Lines that say that something failed, but not what: the cause is another line. */
const CONSEQUENCE =
  /^(?:(?:fatal |an? |the |unexpected |unhandled |critical )*(?:error|exception|failure)s?(?: (?:has )?(?:occurred|happened|detected|encountered))?[.:!]*|(?:application|server|service|process|program|worker|app|startup|start|boot|bootstrap|initiali[sz]ation|config(?:uration)?(?: check| test)?|task|job|main|migration)s?(?: process)? (?:failed|crashed|aborted|error)(?: to (?:start|boot|run|initiali[sz]e))?[.:!]*|(?:failed|unable|could not|cannot|error while) (?:to )?(?:start|starting|boot|run|launch|initiali[sz]e|initiali[sz]ing|startup)(?: (?:the |up )?(?:HTTPS? |web |main |management )?(?:application|server|service|program|app|daemon|process|main|up))?(?: in \(?[\w -]{1,20}\)? mode)?[.:!]*|build failed(?: in .{1,20}| with an exception)?[.!]?|.{0,20}failure: build failed.{0,40}|.{0,80}\bdue to (?:(?:\d+|the|one or more) )?previous errors?\b.{0,40}|.{0,120}\bfail(?:ed|s)[.;,!] (?:please )?re-?run\b.{0,160}|.{0,80}\b(?:validation|verification|compilation|config(?:uration)?|build|checks?|tests?|parsing|loading) fail(?:ed|s)[.;,:!] (?:please )?(?:run|fix|correct|try|see|check|abort|exit)\w{0,4}\b.{0,160}|(?:aborted|finished|completed|stopped|failed|ended|exited|exiting) with \d+ .{0,30}\b(?:errors?|problems?|failures?)\b.{0,40}|(?:found|there (?:were|was)|got|encountered|had) \d+ (?:\w+ ){0,3}(?:errors?|problems?|failures?|issues?)\b.{0,60}|\W{0,4}\d+ (?:problems?|issues?)\b.{0,60}|fail(?:ing|ed) (?:scenarios|tests|examples|steps|features|specs|cases)\b.{0,20}|[\w.-]{1,30} aborted[.!]*|.{0,20}\bvalidation error count: \d+|.{0,80}\bstopped (?:\w+ )?because of an error\b.{0,60}|\d+ errors?(?: generated)?[.!]?|.{0,60}\berrors? (?:have |has )?occurred[.!]*|\W{0,8}(?:[\w ]{0,20}: +)?\d+ (?:failed|failures?|failing|errors?|passed|passing|skipped)\b(?:,? (?:and )?\d+ \w+)*.{0,40}|.{0,160}[;,.] (?:please )?see (?:the )?.{0,40} for (?:more )?details?[.!]?|giving up\b.{0,80}|gave up\b.{0,80}|too many (?:retries|attempts|failures)\b.{0,40}|max(?:imum)? (?:retries|attempts)\b.{0,40}|.{0,30}\b(?:retries|attempts) (?:exhausted|exceeded|failed).{0,40}|[^:'"]{0,40},? (?:exiting|aborting|terminating)(?: abnormally| now)?[.!]*|(?:[\w.-]{1,30}: )?exiting (?:with \w+ status )?(?:due to|because of|after|on) (?:the |an? )?(?:above |previous |fatal |an )*errors?.{0,40}|aborting (?:due to|because of|after).{0,80}|.{0,40}exited with (?:code|status) \d+.{0,20}|command failed.{0,60}|.{0,20}health ?check failed[.!]?|not starting.{0,40}|cannot continue[.!]?|fatal[.:!]*|panic[.:!]*|(?:could not|cannot|can't|failed to|unable to) (?:read|load|parse|apply|open(?:\/| (?:and|or) )parse) (?:the )?config(?:uration)?(?: file)?s?\b.{0,200}|.{0,80}\baborted due to\b.{0,80}|.{0,200}\bone or more errors\b.{0,100}|.{0,200}\b(?:check|see) (?:the |your )?logs?\b.{0,60}|.{0,120}\bsee (?:the )?(?:warnings?|errors?|messages?) above\b.{0,20}|.{0,120}: terminating, \d+ .{0,60}|.{0,20}error while compiling \S+|(?:error: )?(?:parsing|reading|loading) (?:the )?config(?:uration)?(?: file)? failed[.!]*.{0,60}|connection (?:is |was )?(?:closed|terminated|lost)(?: unexpectedly)?[.!]*|socket hang up|unhandled error\b.{0,30}|failed to initiali[sz]e [\w -]{1,30} context|.{0,200}error:[\da-f]{8}:[^:]{1,40}::?[^:]{0,40}system lib|[\w -]{1,40} (?:compilation|parsing|validation|initiali[sz]ation|setup) failed[.!]*|.{1,60} failed, exited with \d+[.!]*|.{0,60} terminated abnormally[.!]*|(?:could not|cannot|can't|failed to|unable to) (?:delete|remove|unlink|clean(?: up)?)\b.{0,200})$/i;

/** A word of each of the forms above: most lines have none, and are spared the long pattern. */
const MAY_FOLLOW =
  /error|exception|fail|unable|could not|cannot|can't|giv|gave|too many|max|retries|attempts|exit|abort|terminat|not starting|fatal|panic|logs?\b|connection|socket|crash|above/i;

export function isConsequence(text: string): boolean {
  return MAY_FOLLOW.test(text) && CONSEQUENCE.test(text);
}

/** What a program does without: it says so, and goes on. */
const TOLERATED =
  /\b(?:using (?:the |its )?(?:built-in )?defaults?|ignor(?:ing|ed)|skipp(?:ing|ed)|continuing|going on|fall(?:ing|s)? back|defaulting to|not found in \S{1,200} - \w+ing|not fatal|non-?fatal)\b/i;
const DEPRECATED = /\bdeprecated\b/i;

export function isTolerated(text: string): boolean {
  return TOLERATED.test(text) || (DEPRECATED.test(text) && !/^error\b/i.test(text));
}

/** Figures that a program prints when it ends: "CPU Usage: 0.017 seconds", "Page faults with physical i/o: 4". */
const FIGURES = /^[A-Za-z][\w /()-]{2,60}: +[\d.,]+(?: ?(?:%|[a-zA-Z]{1,12}))?(?: = .{1,80})?$/;

export function isFigure(text: string): boolean {
  return FIGURES.test(text);
}

/** What a program puts away when it ends. */
const TIDIES =
  /^(?:unbind|deallocat|remov|releas|drain|flush|unload|unmount|unregister|deregister|destroy|disconnect|clos)(?:ing|es|ed|e)\b|\b(?:service|socket|server|listener|connection|pool|store|database)\b.{0,40} (?:closed|stopped|released|destroyed)[.!]?$/i;

export function isTidying(text: string): boolean {
  return TIDIES.test(text);
}

/** A new configuration of a running program that was not taken: it goes on with the old one. */
const RELOAD =
  /\b(?:failed to re-?load|re-?load(?:ing)?\b.{0,60}\b(?:failed|error)|(?:could not|cannot|unable to) re-?load)\b/i;

export function isReload(text: string): boolean {
  return RELOAD.test(text);
}

/** A mistake of one client, in the words of servers. */
const REQUEST =
  /\b(?:bad|malformed|invalid|illegal) (?:http )?request\b|\breq(?:uest)? for (?:file|path|url|resource)\b|\(login failed\)|\blogin failed\b.{0,40}incorrect password|\bclient \S{1,60} sent\b|^(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b.{0,10}\/\S{0,500} (?:failed|errors?)\b|\bexceptions? (?:on |in |for |at )?(?:GET|POST|PUT|DELETE|PATCH) \/|\b(?:request|correlation|connection|trace) ?id\b[ :=]{0,2}["'(]?[\w:-]{4}/i;

export function isAboutRequest(text: string): boolean {
  return REQUEST.test(text);
}

/** A program that does not like its user, but goes on. */
const AS_ROOT =
  /\b(?:is )?running as (?:root|superuser|administrator)\b(?!.*\b(?:not (?:allowed|permitted|supported)|refus|forbidden))/i;

export function isOnlyWarning(text: string): boolean {
  return AS_ROOT.test(text);
}

/** A client by its ephemeral port: "127.0.0.1:47524 - Client parser error", "message from /10.1.2.3:44334". */
const CLIENT = /(?:^|[\s/@([])(?:\d{1,3}\.){3}\d{1,3}(?::| port )(?:3[2-9]|4\d|5\d|6[0-5])\d{3}\b/;
const TO_PEER = /\b(?:connect(?:ing|ion)? to|dial|upstream|listen|bind|->|refused|unreachable|timed out)/i;

/** A proxy's words about the one behind it, without which it goes on: "backend-connect: Connection refused". */
const BEHIND =
  /\b(?:backends?|upstreams?|origin)\b.{0,80}\b(?:refused|timed? ?out|unreachable|reset|closed|down|unavailable|failed)\b|\b(?:refused|timed? ?out|unreachable|reset|failed)\b.{0,60}\b(?:backends?|upstreams?|origin)\b/i;
/** A macro's words about one connection: "proxy.c:110:connect: Connection refused". */
const AT_SOURCE =
  /^[\w./-]{1,100}\.(?:c|cc|cpp|go|rs):\d{1,6}:.{0,80}\b(?:connection|connect|peer|socket)\b.{0,60}\b(?:refused|reset|timed? ?out|closed|unreachable)\b|\bconnect\(\d{1,6}, [^)]{1,100}\): .{0,20}(?:refused|reset|timed? ?out|unreachable)\b/i;

/** One connection of a program that offers others: a reason to end only for one that says so. */
export function isAboutConnection(text: string): boolean {
  return BEHIND.test(text) || AT_SOURCE.test(text);
}

export function isAboutClient(text: string): boolean {
  return CLIENT.test(text) && !TO_PEER.test(text);
}
