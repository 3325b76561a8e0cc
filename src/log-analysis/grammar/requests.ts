/** Words about one request, one client or one connection, which end no program. Pure. */
import { anyOf } from '../any-of.ts';

/** A line of an access log: the answer to one request. */
const ACCESS = anyOf(
  /^[1-5]\d\d (?:GET|POST|PUT|HEAD|DELETE|PATCH) \//,
  /"(?:GET|POST|PUT|HEAD|DELETE|PATCH|OPTIONS|-) ?\S{0,500}(?: HTTP\/[\d.]+)?" [1-5]\d\d\b/,
  /\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) \/\S{0,500}(?: HTTP\/[\d.]+)? (?:-> |=> |- )?[1-5]\d\d\b/,
);

export function isAccess(text: string): boolean {
  return ACCESS.test(text);
}

/** A new configuration of a running program that was not taken: it goes on with the old one. */
const RELOAD =
  /\b(?:failed to re-?load|re-?load(?:ing)?\b.{0,60}\b(?:failed|error)|(?:could not|cannot|unable to) re-?load)\b/i;

export function isReload(text: string): boolean {
  return RELOAD.test(text);
}

/** A mistake of one client, in the words of servers. */
const REQUEST = anyOf(
  /\b(?:bad|malformed|invalid|illegal) (?:http )?request\b/i,
  /\breq(?:uest)? for (?:file|path|url|resource)\b/i,
  /\(login failed\)/i,
  /^\S{1,60} - \S{1,60} \[\d{1,2}\/\w{3}\/\d{4}/i,
  /\bcode 4\d\d, message\b/i,
  /\blogin failed\b.{0,40}incorrect password/i,
  /\bclient \S{1,60} sent\b/i,
  /^(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b.{0,10}\/\S{0,500} (?:failed|errors?)\b/i,
  /\bexceptions? (?:on |in |for |at )?(?:GET|POST|PUT|DELETE|PATCH) \//i,
  /\b(?:request|correlation|connection|trace) ?id\b[ :=]{0,2}["'(]?[\w:-]{4}/i,
);

export function isAboutRequest(text: string): boolean {
  return REQUEST.test(text);
}

/** A client by its ephemeral port: "127.0.0.1:47524 - Client parser error", "message from /10.1.2.3:44334". */
const CLIENT = /(?:^|[\s/@([=])(?:\d{1,3}\.){3}\d{1,3}(?::| port )(?:3[2-9]|4\d|5\d|6[0-5])\d{3}\b/;
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
