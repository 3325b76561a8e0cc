/** Counts in a log of PostgreSQL (`log_connections`, `log_disconnections`) who has how many connections open. Pure. */

export interface HeldConnections {
  /** "user reporter, application tenant-report" */
  readonly who: string;
  readonly count: number;
}

const AUTHORIZED =
  /\[(\d{1,9})\].{0,200}?\bconnection authorized: user=(\S{1,63})(?: database=\S{1,63})?(?: application_name=(.{1,64}?))?(?: SSL | GSS |$)/;
const LEFT = /\[(\d{1,9})\].{0,200}?\bdisconnection: session time\b/;
/** Fewer are nobody's fault. */
const MIN_HELD = 3;

/** Who has the most; undefined: nobody has many, or the log does not say. @param lines oldest first */
export function mostConnections(lines: readonly string[]): HeldConnections | undefined {
  const open = new Map<string, string>();
  // Where nobody is told to have left, those who came may have.
  if (!lines.some((line) => LEFT.test(line))) return undefined;
  for (const line of lines) {
    const left = LEFT.exec(line)?.[1];
    if (left !== undefined) open.delete(left);
    const [, process, user, application] = AUTHORIZED.exec(line) ?? [];
    if (process === undefined || user === undefined) continue;
    open.set(process, `user ${user}${application === undefined ? '' : `, application ${application}`}`);
  }
  const counts = new Map<string, number>();
  for (const who of open.values()) counts.set(who, (counts.get(who) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most === undefined || most[1] < MIN_HELD ? undefined : { who: most[0], count: most[1] };
}
