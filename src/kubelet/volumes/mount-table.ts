/** /proc/self/mountinfo as mount points. Pure. */

/** Mount points in the order of the kernel; octal escapes (\040 for a space) decoded. */
export function parseMountPoints(mountinfo: string): string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined ? [] : [unescapeMount(point)];
  });
}

/** The mount points whose mounts others see, too (`shared:N` in the kernel's words). */
export function parseSharedPoints(mountinfo: string): ReadonlySet<string> {
  const shared = new Set<string>();
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const point = fields[4];
    if (point === undefined) continue;
    const tags = fields.slice(6, fields.indexOf('-', 6));
    // A later mount at the same point covers the earlier one.
    if (tags.some((tag) => tag.startsWith('shared:'))) shared.add(unescapeMount(point));
    else shared.delete(unescapeMount(point));
  }
  return shared;
}

/** Mount points at or below `dir`, deepest and newest first: the order in which they can be unmounted. */
export function mountsUnder(points: readonly string[], dir: string): string[] {
  return points
    .filter((point) => point === dir || point.startsWith(`${dir}/`))
    .toReversed()
    .sort((a, b) => b.split('/').length - a.split('/').length);
}

/** The mount point that `path` is on: the longest one at or above it. */
export function mountPointOf(points: readonly string[], path: string): string | undefined {
  const above = points.filter((point) => point === '/' || path === point || path.startsWith(`${point}/`));
  return above.toSorted((a, b) => b.length - a.length)[0];
}

/** A path in the kernel's words: octal escapes (\040 for a space) decoded. */
export function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
