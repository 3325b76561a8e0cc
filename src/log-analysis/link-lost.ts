/** Reads that a client has lost its connection. Pure. */

/** A client's own connection; what a server closes stands in brackets. */
const LINK_LOST =
  /(?<![(\w-])(?:connection|session|link) (?:was |is |has been |to \S{1,60} (?:was )?)?lost\b|\blost (?:the |its |our )?(?:connection|session|link)\b/i;

/** Whether the line says so: "Connection to cache:6379 lost", "lost its session". */
export function losesLink(line: string): boolean {
  return LINK_LOST.test(line);
}
