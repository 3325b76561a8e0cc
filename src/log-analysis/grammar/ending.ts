/** What programs say when they end for whatever reason. Pure. */
import { whole } from '../any-of.ts';

/** What a program says when it ends for whatever reason. */
const CLOSING = whole(
  /(?:gracefully |now |server |is |process |service )*(?:shutting down|shut ?down|stopping|stopped|exiting|exit(?:ed)?|terminat(?:ing|ed)|bye|goodbye|quit(?:ting)?|closing|cleaning up|finished|aborting|abort(?:ed)?)\b.{0,60}/i,
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

export function isFigure(text: string): boolean {
  return FIGURES.test(text);
}

/** What a program puts away when it ends. */
const TIDIES =
  /^(?:unbind|deallocat|remov|releas|drain|flush|unload|unmount|unregister|deregister|destroy|disconnect|clos)(?:ing|es|ed|e)\b|\b(?:service|socket|server|listener|connection|pool|store|database)\b.{0,40} (?:closed|stopped|released|destroyed)[.!]?$/i;

export function isTidying(text: string): boolean {
  return TIDIES.test(text);
}
