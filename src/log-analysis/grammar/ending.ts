/** What programs say when they end for whatever reason. Pure. */
import { whole, words } from '../any-of.ts';

/** What a program says when it ends for whatever reason. */
const CLOSING = whole(
  /(?:\[-\] )?(?:gracefully |now |server |is |process |service |(?:main |event )?loop |reactor )*(?:shutting down|shut ?down|stopping|stopped|exiting|exit(?:ed)?|terminat(?:ing|ed)|bye|goodbye|quit(?:ting)?|closing|cleaning up|finished|aborting|abort(?:ed)?)\b.{0,60}/i,
  /.{0,40}\b(?:shutdown complete|shut down|exit(?:ing|ed)? (?:with )?(?:code|status|now)?[: ]*-?\d*)\.?$/i,
  /goodbye.*/i,
  /bye.*/i,
  /killed/i,
  /terminated/i,
  /done/i,
  /aborted(?: \(core dumped\))?/i,
  /(?:make|gmake)(?:\[\d+\])?: \*\*\* \[.*/i,
  /error: process exited.*/i,
  /==\d+==aborting/i,
  /exit status \d+/i,
  /core dumped/i,
  /signal: \w+/i,
  /received (?:signal|sig\w+).*/i,
  /caught sig\w+.*/i,
  /got sig\w+.*/i,
);

export function isClosing(text: string): boolean {
  return CLOSING.test(text);
}

/** Figures that a program prints when it ends: "CPU Usage: 0.017 seconds", "Page faults with physical i/o: 4". */
const FIGURES = /^[A-Za-z][\w /()-]{2,60}: +[\d.,]+(?: ?(?:%|[a-zA-Z]{1,12}))?(?: = .{1,80})?$/;

/** A line of a page in HTML, as clients print the answer of a server. */
const OF_PAGE =
  /^<(?:\/?(?:html|head|body|center|title|address|h[1-6]|p|div|hr|br|meta|pre|span|ul|li)\b|!doctype\b|!--)[^\n]{0,2000}$/i;

/** Figures, and pages: whoever prints them says nothing of its own with them. */
export function isFigure(text: string): boolean {
  return FIGURES.test(text) || OF_PAGE.test(text);
}

/** What a program puts away when it ends. */
const TIDIES =
  /^(?:unbind|deallocat|remov|releas|drain|flush|unload|unmount|unregister|deregister|destroy|disconnect|clos)(?:ing|es|ed|e)\b|\b(?:service|socket|server|listener|connection|pool|store|database)\b.{0,40} (?:closed|stopped|released|destroyed)[.!]?$/i;

export function isTidying(text: string): boolean {
  return TIDIES.test(text);
}

/** "no heartbeat for 300 s, aborting": a reason of some length, and after a stop that the program ends for it. */
const ENDS_FOR_REASON =
  /^(.{10,300}?)(?:[,;:.!]| -{1,2}| [–—]) {0,2}(?:(?:so|now|therefore|hence|and|i am|we are) ){0,2}(?:exiting|aborting|terminating|quitting|bailing out|giving up|stopping|shutting (?:myself )?down|refus(?:ing|es) to (?:start|run|boot|continue|serve)|(?:will|can|must|do) ?not (?:start|run|boot|continue)|must (?:stop|exit|restart))\b/i;
/** Ends that were asked for, or that come after the work, and words that only name what another line told. */
const NO_REASON = words(
  /signals?/i,
  /sig(?:term|int|hup|quit|kill|usr\d)/i,
  /interrupt\w*/i,
  /ctrl.c/i,
  /(?:shut ?down|stop|exit|termination|quit) requested/i,
  /requested (?:to|shut ?down|stop|exit|termination)/i,
  /(?:shut ?down|stop|exit|termination|quit) (?:request|command|event)/i,
  /done/i,
  /finished/i,
  /complete\w*/i,
  /succe\w+/i,
  /no more/i,
  /no \w+ (?:available|left)/i,
  /nothing/i,
  /idle/i,
  /(?:all|\d+)(?: \w+){1,3} (?:processed|sent|written|handled|applied|imported|exported|copied|deleted|delivered)/i,
  /up to date/i,
  /un(?:handled|caught)/i,
  /exited/i,
  /(?:errors?|failures?|problems?) (?:above|occurred|detected|found)/i,
);

/** Words of a sentence; a path before a colon is only where the program speaks from. */
const SENTENCE = /[a-z]{2} [a-z]/i;

/** For what a program says that it ends: the cause, in words that need not be ones of failure. */
export function reasonOfEnd(text: string): string | undefined {
  const reason = NO_REASON.test(text) ? undefined : ENDS_FOR_REASON.exec(text)?.[1];
  return reason !== undefined && SENTENCE.test(reason) ? reason : undefined;
}

export function saysWhyItEnds(text: string): boolean {
  return reasonOfEnd(text) !== undefined;
}
