/** Which archives of images in a folder are of no use any more. Pure. */

/** The one that is made now, and that of a checkout of another state beside it. */
const KEPT = 2;
/** Writing one takes seconds; what is older was left by a process that was killed. */
const MAX_WRITING_MS = 3_600_000;

export interface FoundArchive {
  readonly name: string;
  /** Since the epoch. */
  readonly modifiedMs: number;
}

/**
 * The names of those of one image, `STEM-KEY.tar`, that are to be removed: all but the newest two, and `STEM-KEY.tar.PID` that
 * nobody writes any more.
 */
export function oldArchives(stem: string, found: readonly FoundArchive[], nowMs: number): readonly string[] {
  const own = found.flatMap((each) => {
    const { key, pid } = /^(?<stem>.+)-(?<key>[0-9a-f]+)\.tar(?:\.(?<pid>\d+))?$/.exec(each.name)?.groups ?? {};
    return key === undefined || !each.name.startsWith(`${stem}-${key}.tar`)
      ? []
      : [{ ...each, isPart: pid !== undefined }];
  });
  const whole = own.filter(({ isPart }) => !isPart).toSorted((a, b) => b.modifiedMs - a.modifiedMs);
  const left = own.filter(({ isPart, modifiedMs }) => isPart && nowMs - modifiedMs > MAX_WRITING_MS);
  return [...whole.slice(KEPT), ...left].map(({ name }) => name);
}
