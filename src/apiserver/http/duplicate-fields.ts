/** Finds fields that a JSON text names twice: `JSON.parse` keeps the last one and says nothing. */

const MAX_REPORTED = 20;

/** Upstream's words for each repeated field, with its path: `duplicate field "spec.a"`. `text` must be valid JSON. */
export function duplicateFields(text: string): string[] {
  const found: string[] = [];
  const scanner = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  const frames: Frame[] = [];
  let key: string | undefined;
  for (let token = scanner.exec(text)?.[0]; token !== undefined; token = scanner.exec(text)?.[0]) {
    const frame = frames.at(-1);
    if (token === '{' || token === '[')
      frames.push({ path: pathOf(frame, key), names: token === '{' ? new Set() : undefined, index: 0 });
    else if (token === '}' || token === ']') frames.pop();
    else if (token === ',') {
      key = undefined;
      if (frame !== undefined) frame.index += 1;
    } else if (token !== ':' && frame?.names !== undefined && key === undefined) {
      key = JSON.parse(token) as string;
      if (frame.names.has(key) && found.length < MAX_REPORTED)
        found.push(`duplicate field ${JSON.stringify(pathOf(frame, key))}`);
      frame.names.add(key);
    }
    if (token === '{' || token === '[') key = undefined;
    else if (token === '}' || token === ']') key = '';
  }
  return found;
}

interface Frame {
  readonly path: string;
  /** Of an object the names seen so far; undefined for a list. */
  readonly names: Set<string> | undefined;
  index: number;
}

function pathOf(frame: Frame | undefined, key: string | undefined): string {
  if (frame === undefined) return '';
  if (frame.names === undefined) return `${frame.path}[${frame.index}]`;
  return frame.path === '' ? (key ?? '') : `${frame.path}.${key ?? ''}`;
}
