/** Reports the progress of `apt-get install` from its output: in a few lines, not one for each small library. Pure. */

/** @returns takes line after line of apt-get's output, and returns what is worth showing */
export function aptProgress(): (line: string) => string | undefined {
  let phase: string | undefined;
  return (line) => {
    const size = /^Need to get (\S+ [^\s/]+)/.exec(line)?.[1];
    if (size !== undefined) return size === '0 B' ? undefined : `  fetching ${size}`;
    const fetched = /^Get:\d+ \S+ \S+ \S+ (\S+) \S+ \S+ \[(\d{4,} kB|\S+ [MG]B)\]/.exec(line);
    if (fetched !== null) return `  fetching ${fetched[1]} (${fetched[2]})`;
    const next = /^(Unpacking|Setting up) /.exec(line)?.[1];
    if (next === undefined || next === phase) return undefined;
    phase = next;
    return `  ${next.toLowerCase()}`;
  };
}
