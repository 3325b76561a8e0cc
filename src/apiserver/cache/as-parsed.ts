/** Objects as a parser would give them back from their own JSON. Pure. */

type Members = Readonly<Record<string, unknown>>;

/**
 * What `JSON.parse(JSON.stringify(value))` gives, without copying what that would not change: nearly always the very value. The value is of
 * JSON but for members that are undefined and numbers that JSON does not have.
 */
export function asParsed<T>(value: T): T {
  return parsed(value) as T;
}

function parsed(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? parsedList(value) : parsedMembers(value as Members);
}

function parsedList(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const before = list[at];
    const after = before === undefined ? null : parsed(before);
    // Not ===, by which zero is the same as its negative.
    if (Object.is(after, before)) continue;
    copy ??= [...list];
    copy[at] = after;
  }
  return copy ?? list;
}

function parsedMembers(members: Members): Members {
  for (const name in members) {
    const before = members[name];
    if (before === undefined || !Object.is(parsed(before), before)) return withParsedMembers(members);
  }
  return members;
}

function withParsedMembers(members: Members): Members {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, parsed(value)]));
}
