/** ARCHITECTURE.md lists each room once, each inner room of the big ones once, and the imports that the check allows. */

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
  return linesUnder(page, heading).flatMap((line) => {
    const [first = ''] = cellsOf(line);
    return [...first.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  });
}

function headingOf(page: string, heading: string): string {
  return page.split('\n').find((line) => line.startsWith(`| ${heading} | `)) ?? '';
}

/** The rows of the table with this heading. */
function linesUnder(page: string, heading: string): readonly string[] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${heading} | `));
  if (at === -1) return [];
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end === -1 ? undefined : end);
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The column "may import" of the table of rooms, against the table of the check. */
export function findWrongDirections(
  page: string,
  allowed: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const column = cellsOf(headingOf(page, 'room')).indexOf('may import');
  const said = new Map<string, string>();
  for (const line of linesUnder(page, 'room')) {
    const cells = cellsOf(line);
    const room = (cells[0] ?? '').replaceAll('`', '');
    said.set(room, directionsOf(cells[column] ?? '', room, Object.keys(allowed)).join(' '));
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
