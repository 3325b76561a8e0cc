/** ARCHITECTURE.md lists each room once, and each room of the big ones, and says who may import whom as the check has it. */

/** Folders below `src`, "kubelet/plan" and "kubelet" alike. */
export type Folders = ReadonlySet<string>;

/** @param big rooms that have a table of their own, "| in `NAME` | purpose |" */
export function findRoomsNotListed(page: string, folders: Folders, big: readonly string[]): readonly string[] {
  const rooms = [...folders].filter((folder) => !folder.includes('/'));
  const problems = compare('the rooms', rowsUnder(page, 'room'), rooms);
  for (const room of big) {
    const inner = [...folders].filter((folder) => folder.startsWith(`${room}/`) && folder.split('/').length === 2);
    const listed = rowsUnder(page, `in \`${room}\``).filter((name) => !name.endsWith('.ts'));
    problems.push(
      ...compare(
        `rooms in ${room}`,
        listed,
        inner.map((folder) => folder.slice(room.length + 1)),
      ),
    );
  }
  return problems;
}

function compare(what: string, listed: readonly string[], there: readonly string[]): string[] {
  const problems: string[] = [];
  for (const name of new Set(listed)) {
    const times = listed.filter((each) => each === name).length;
    if (times > 1) problems.push(`ARCHITECTURE.md:1: ${what}: ${name} is listed ${times} times`);
    if (!there.includes(name)) problems.push(`ARCHITECTURE.md:1: ${what}: there is no ${name}`);
  }
  for (const name of there)
    if (!listed.includes(name)) problems.push(`ARCHITECTURE.md:1: ${what}: ${name} is not listed`);
  return problems;
}

/** Names in the first column of the table with this heading. */
function rowsUnder(page: string, heading: string): readonly string[] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${heading} | `));
  if (at === -1) return [];
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end === -1 ? undefined : end).flatMap((line) => {
    const [, first = ''] = line.split('|');
    return [...first.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  });
}

/** The page's "store → lib" against the table of the check. Lines with words on the left ("inside kubelet: …") are prose. */
export function findWrongDirections(
  page: string,
  allowed: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const said = new Map<string, string>();
  const [, block = ''] = /## Who may import whom\s+```\n([\s\S]*?)```/.exec(page) ?? [];
  for (const [, from = '', to = ''] of block.matchAll(
    /(?:^|\s{2,})([a-z]+(?:, [a-z]+)*) → ((?:all but )?[a-z]+(?: [a-z]+)*)/gm,
  )) {
    for (const room of from.split(', ')) said.set(room, directionsOf(to, room, Object.keys(allowed)).join(' '));
  }
  return Object.entries(allowed).flatMap(([room, rooms]) => {
    const checked = rooms.toSorted().join(' ');
    if (said.get(room) === checked) return [];
    const told = said.get(room) ?? 'not told';
    return [
      `ARCHITECTURE.md:1: who may import whom: ${room} → ${told || 'nothing'}, but the check has ${checked || 'nothing'}`,
    ];
  });
}

function directionsOf(text: string, room: string, rooms: readonly string[]): readonly string[] {
  if (text === 'nothing') return [];
  const [, but] = /^all but ([a-z]+)$/.exec(text) ?? [];
  const named = but === undefined ? text.split(' ') : rooms.filter((each) => each !== but && each !== room);
  return named.toSorted();
}
