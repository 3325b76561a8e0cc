/** The rooms inside the big ones import each other only as the table says, and never the files that put them together. */
import { dirname, join } from 'node:path/posix';
import type { InnerRooms } from './rooms.ts';
import { importsOf, isOfTests, type SourceFile } from './source-file.ts';

/** The parts of a file's place: "kubelet", "plan", "draft.ts"; the inner room is '' for a file beside the inner rooms. */
interface Place {
  readonly room: string;
  readonly inner: string;
  readonly name: string;
}

export function findInnerCrossings(
  files: readonly SourceFile[],
  table: Readonly<Record<string, InnerRooms>>,
): readonly string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const file of files.filter((each) => !isOfTests(each))) {
    const from = placeOf(file.path);
    const rooms = table[from.room];
    // Doors, and the files beside the inner rooms, may import all of their room.
    if (rooms === undefined || from.inner === '' || rooms.tops.includes(from.inner)) continue;
    for (const { specifier, line } of importsOf(file)) {
      if (!specifier.startsWith('.')) continue;
      const to = placeOf(join(dirname(file.path), specifier));
      if (to.room !== from.room || to.inner === from.inner) continue;
      const crossing = `${from.inner} ${to.inner}`;
      if (rooms.against.includes(crossing)) used.add(`${from.room} ${crossing}`);
      else if (!mayImport(rooms, from, to)) problems.push(`src/${file.path}:${line}: ${sentence(rooms, from, to)}`);
    }
  }
  for (const [room, { against }] of Object.entries(table)) {
    for (const crossing of against)
      if (!used.has(`${room} ${crossing}`))
        problems.push(`tools/house/rooms.ts:1: ${room}: "${crossing}" is not crossed any more: strike it out`);
  }
  return problems;
}

function mayImport(rooms: InnerRooms, from: Place, to: Place): boolean {
  if (to.inner === '') return rooms.base.includes(to.name);
  return rooms.rooms[from.inner]?.includes(to.inner) === true;
}

function sentence(rooms: InnerRooms, from: Place, to: Place): string {
  const allowed = rooms.rooms[from.inner];
  if (allowed === undefined) return `tools/house/rooms.ts says nothing of ${from.room}/${from.inner}`;
  if (to.inner === '') return `${from.room}/${from.inner} imports ${to.name}, which puts ${from.room} together`;
  return `${from.room}/${from.inner} imports ${from.room}/${to.inner}; it may import ${allowed.join(', ') || 'no other'}`;
}

function placeOf(path: string): Place {
  const [room = '', ...rest] = path.split('/');
  return { room, inner: rest.length > 1 ? (rest[0] ?? '') : '', name: rest.at(-1) ?? '' };
}
