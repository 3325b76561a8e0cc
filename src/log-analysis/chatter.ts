/** Knows lines that a program prints whether or not it does its work. Pure. */
import { anyOf } from './any-of.ts';
import { isOfHealthChecker } from './probe-lines.ts';

const CHATTER = anyOf(
  /\b(?:heart ?-?beats?|keep-?alives?|still alive|up ?time|tick|metrics?|statistics|stats|gauge|counters?|memory|heap|gc|garbage|goroutines|run_queue|load average|cpu|rss|fds?|queue (?:depth|length|size)|backlog|lag|idle|polling|sleeping|scrap(?:e|ing)|flush(?:ed|ing)?)\b/i,
  // Requests that ask whether it is well, and for its figures
  /\/(?:-\/)?(?:health\w*|healthy|live\w*|ready\w*|readiness|liveness|alive|up|ping|metrics|status|version|actuator\/\S{1,60})(?:[/?"'\s]|$)/i,
  /\b(?:health|readiness|liveness) ?-?(?:check|probe)\b/i,
);

export function isChatter(text: string): boolean {
  return CHATTER.test(text) || VISIT.test(text) || isOfHealthChecker(text);
}

/** A connection that a probe or a client opens and closes. */
const VISIT =
  /\bNONE_NONE\/000\b|transaction-end-before-headers|\b(?:dis)?connect(?:ed|ion)? from (?:unknown\b|\S{0,100}\d{1,3}(?:\.\d{1,3}){3})/i;

export function isVisit(text: string): boolean {
  return VISIT.test(text);
}

/** What a consumer without work says, and one of several replicas that waits for its turn. */
const NOTHING_TO_DO =
  /\bstand(?:ing)?[ -]?by\b|\bnot (?:the )?leader\b|\bis (?:the )?leader\b|\b(?:acquir\w+|obtain\w*) (?:the )?(?:lease|leadership|leader lock)\b|\b(?:no|without|waiting for|for a|for new|for any|for the next) (?:new |more |pending |incoming )?(?:jobs?|messages?|events?|tasks?|work|items?|records?|requests?|connections?)\b/i;

export function isNothingToDo(text: string): boolean {
  return NOTHING_TO_DO.test(text);
}
