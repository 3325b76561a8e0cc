/** Words after which a program counts as working: ready, serving, going on, trying again. Pure. */
import { anyOf, fromWord, words } from '../any-of.ts';
import { isBad } from './failure.ts';

/** Words after which what went wrong before counts as overcome; the whole program works. */
const READY = words(
  /(?:is |are |now |and |all )?ready(?! state| for shutdown)(?: to| for|\b)/i,
  /listening (?:on|at|to|for)/i,
  /listens on/i,
  /started (?:successfully|in \d+|with pid)/i,
  /started\b[^:]{0,40}\bpid \d+/i,
  /(?:started|booted) \S{1,60}(?: \S{1,60})? in [\d.]+ ?(?:ms|s|sec|seconds)\b/i,
  /up (?:at|on) (?:http|port|\S+:\d)/i,
  /entered running state/i,
  /startup in \[?\d+/i,
  /(?:successfully|fully) (?:started|initiali[sz]ed|connected|reconnected|recovered)/i,
  /startup (?:complete|finished|done)/i,
  /server (?:started|running|is (?:up|running|listening))/i,
  /accepting (?:connections|requests)/i,
  /serving (?:on|at|requests|traffic|http|https)/i,
  /up and running/i,
  /running (?:on|at) (?:http|port|0\.0)/i,
  /healthy again/i,
  /back to normal/i,
  /recovered/i,
  /reconnected/i,
  /(?:re-?)?connected (?:to|successfully|again)/i,
  /connection (?:established|restored|(?:is )?ok\b|succeeded|recovered)/i,
  /retry succeeded/i,
  /succeeded (?:after|on|at)/i,
  /succeeded$/i,
  /version \S+ running/i,
  /resumed/i,
  /resuming normal/i,
  /service (?:is )?(?:up|available)/i,
  /connection to \S+ (?:established|restored|ok)/i,
  /(?:migration|migrations|initiali[sz]ation|job|task|request|sync|backup|import|upload|download|connect|reconnect|login|query|write|reload)s? (?:complete[d]?|succeeded|done|finished|ok|applied)(?: successfully)?/i,
  /done(?: after \d+ (?:attempts|tries|retries))?$/i,
  /ok after \d+/i,
  /works again/i,
  /now (?:up|available|connected|serving|works)/i,
  /(?:is|are) (?:back(?: up)?|up|reachable|online|alive)(?: again| now| after \d+.{0,20})?[.!]?$/i,
);
const NOT_READY = words(
  /not/i,
  /never/i,
  /isn't/i,
  /cannot/i,
  /can't/i,
  /un/i,
  /closing/i,
  /stopping/i,
  /before/i,
  /until/i,
  /waiting (?:for|until)/i,
  /wait(?:s|ed)? for/i,
  /when/i,
  /once/i,
  /if/i,
  /to be/i,
  /is not/i,
  /no longer/i,
  /failed/i,
  /error/i,
  /will be/i,
  /trying/i,
);
/** A line of an access log with a good answer. */
const SERVED = anyOf(
  /"(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS) \S{1,500}(?: HTTP\/[\d.]+)?" (?:[23]\d\d)\b/,
  /\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) \/\S{0,500}(?: HTTP\/[\d.]+)? (?:-> |=> |- )?[23]\d\d\b/,
  /\bstatus[=: ]"?[23]\d\d\b/,
);

/** What each offer has; most lines are spared the long pattern. */
const MAY_OFFER = /ing .{0,60}(?::\d\d|:\/\/)/;
/** "Providing metrics at :9121/metrics" */
const OFFERS =
  /^(?!start|launch|open|bind|try|attempt|connect|wait|fail|dial|boot|initiali|creat|load|read|us)\w{3,20}ing (?:[\w-]{1,20} ){0,3}(?:at|on|via) (?:https?:\/\/\S{1,200}|[\w.*[\]-]{0,100}:\d{2,5}[\w/.-]{0,100})$/i;

/** A summary of work of which a part failed: "import finished: 3 imported, 1 rejected". */
const FAILED_IN_PART =
  /\b[1-9]\d{0,8} (?:\w{1,20} ){0,2}(?:failed|rejected|errors?|failures?)\b|\b(?:failed|rejected|errors?|failures?)[:=] {0,2}[1-9]/i;

/** Whether a line of work says that a part of it failed. */
export function failedInPart(text: string): boolean {
  return FAILED_IN_PART.test(text);
}

export function isReady(text: string): boolean {
  if (SERVED.test(text)) return true;
  if (failedInPart(text)) return false;
  return (
    (READY.test(text) || (MAY_OFFER.test(text) && OFFERS.test(text))) && !NOT_READY.test(text) && !isQuestion(text)
  );
}

/** A client that came, which only a program that works can tell of. */
const SERVING = fromWord(
  /accept(?:ed|ing|s)?\b.{0,40}\b(?:connections?|clients?|sessions?|requests?)/i,
  /(?:connection|connect|session|request|query|login|client)\b.{0,40}\b(?:from|opened|accepted|received)\b/i,
  /(?:new|incoming|inbound) (?:connection|client|session|request)/i,
  /(?:starting|entering|running|started) (?:the )?(?:main|event|accept) ?loop/i,
  /(?:main|event) loop (?:started|running)/i,
  /configuration successful/i,
  /all zones loaded/i,
  /daemon(?:i[sz]ed| started)/i,
  /^starting (?:(?:\w+ )?workers?|processing)\b/i,
  /\bstarting workers$/i,
  /^(?:[\w-]+ )?started[.!]?$/i,
  /^(?:up and )?running$/i,
);

export function isServing(text: string): boolean {
  return SERVING.test(text);
}

/** Words of work that goes on, after which an error before counts as overcome when no other follows. */
const GOES_ON = words(
  /subscribed/i,
  /joined/i,
  /synchroni[sz]ed/i,
  /synced/i,
  /registered/i,
  /processed/i,
  /processing/i,
  /rebuilt/i,
  /restored/i,
  /resolved/i,
  /applied/i,
  /fetched/i,
  /online/i,
  /continuing/i,
  /fall(?:ing|s)? ?back/i,
  /using .{1,40} instead/i,
  /proceeding/i,
  /next run/i,
  /elected/i,
  /(?:is|are|now|becomes?|became|be) (?:now |again )?available/i,
  /consum(?:er|ing)/i,
  /serving/i,
  /polling/i,
  /scheduled/i,
  /in memory/i,
  /warmed up/i,
  /heartbeat/i,
  /idle/i,
  /answered[.!]?$/i,
  /waiting for (?:jobs?|requests?|connections?|messages?|work|events|clients?|tasks?)/i,
);

export function isGoingOn(text: string): boolean {
  return GOES_ON.test(text) && !failedInPart(text) && !NOT_GOING_ON.test(text) && !isQuestion(text);
}

function isQuestion(text: string): boolean {
  return text.endsWith('?') || /^(?:is|are|was|do|does|did|has|have)\b/i.test(text);
}

const NOT_GOING_ON =
  /\b(?:not|never|no longer|isn't|cannot|can't|until|before|once|if|to be(?:come)?|become|failed|error|exiting|closing|closed|stopping|stopped|shut(?:ting)? ?down|leaving|unsubscribed|disconnect\w*|draining|terminat\w+|no \w+ available|timeout|timed out|waiting on|un\w+able)\b|: 0$/i;

/** Words of a try that is repeated: the error may be overcome by a success that is not about the whole program. */
const RETRY = words(
  /retry(?:ing)?/i,
  /retries left/i,
  /attempt \d+/i,
  /try \d+ of/i,
  /will (?:retry|try again)/i,
  /trying again/i,
  /try again in/i,
  /reconnect(?:ing)?/i,
  /backing off/i,
  /back-?off/i,
  /next (?:try|attempt)/i,
  /sleeping \d+/i,
  /waiting \d+/i,
);

/** What a try came to that did not fail: "rates refreshed, attempt 2". */
const SUCCEEDED =
  /\b(?:refreshed|fetched|loaded|synced|synchroni[sz]ed|received|stored|saved|sent|delivered|completed|finished|succeeded|updated|processed|imported|exported|published|written|successful(?:ly)?)\b/i;

export function hasSucceeded(text: string): boolean {
  return SUCCEEDED.test(text) && !isBad(text);
}

export function isRetry(text: string): boolean {
  return RETRY.test(text) && !hasSucceeded(text);
}
