/** Reads what a line in JSON says when its end was cut off. Pure. */
const MESSAGE = /"(?:msg|message|@m)"\s{0,2}:\s{0,2}"((?:[^"\\]|\\.){1,500})"/g;
const LEVEL = /"(?:level|severity|lvl|levelname)"\s{0,2}:\s{0,2}"?(\w{1,13})/;

/** @returns its first message and its level; undefined when it is no cut-off JSON */
export function brokenJson(line: string): { readonly message: string; readonly level?: string } | undefined {
  if (!line.startsWith('{"')) return undefined;
  const [first] = line.matchAll(MESSAGE);
  if (first === undefined) return undefined;
  return {
    message: (first[1] ?? '').replaceAll(String.raw`\n`, ' ').replaceAll(String.raw`\"`, '"'),
    level: LEVEL.exec(line)?.[1],
  };
}
