/** /proc/self/mountinfo as mount points. Pure. */

/** Mount points in the order of the kernel; octal escapes (\040 for a space) decoded. */
export function parseMountPoints(mountinfo: string): string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined ? [] : [unescape(point)];
  });
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

function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
