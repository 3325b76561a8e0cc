/** The images of a machine as a table, by name. Pure. */
import type { Image } from '../cri/index.ts';

const HEAD = ['IMAGE', 'ID', 'SIZE', 'FROM'] as const;
const SHOWN_ID_CHARACTERS = 12;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Lines without their ends; a line for each name of an image. */
export function imageLines(images: readonly Image[], isFromArchive: (name: string) => boolean): readonly string[] {
  const rows = images
    .flatMap((image) => (image.repoTags.length === 0 ? ['<none>'] : image.repoTags).map((name) => ({ name, image })))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, image: { id, sizeBytes } }) => {
      const shownId = id.replace(/^sha256:/, '').slice(0, SHOWN_ID_CHARACTERS);
      return [name, shownId, sizeText(sizeBytes), isFromArchive(name) ? 'archive' : 'registry'];
    });
  const table = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
