/** Parses the output of `ctr images import`. Pure. */

/** ctr prints "unpacking NAME (sha256:…)...done" for each image. */
export function importedNames(output: string): readonly string[] {
  const names = [...output.matchAll(/^unpacking (\S+) \(sha256:/gm)].map((match) => match[1] ?? '');
  return [...new Set(names)];
}
