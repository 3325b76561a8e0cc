/** Tells of an error in a program's home that the home is none: a user without an entry in /etc/passwd has HOME=/. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

/** A hidden file or folder right below /, or the home of users that have none. */
const IN_ROOT = /(?:^|[\s"'`=:(<])(\/(?:\.[a-z][\w.-]{1,60}|nonexistent)(?:\/[\w@%+=.,~-]{1,255})*)/i;
const REFUSED =
  /permission denied|EACCES|EPERM|no such file|ENOENT|read-only file system|EROFS|(?:cannot|can't|could not|couldn't|unable to|failed to) (?:create|make|write|open|mkdir)|mkdir|not writable/i;
/** What says that the user's number has no name. */
const NAMELESS =
  /getpwuid|uid not found|no user exists for uid|cannot find name for user id|could not look up (?:effective |local )?user|i have no name!|unknown userid|no (?:such user|passwd entry)|current user has no (?:entry|name)|user: unknown/i;

/** The findings; the first of each container says of an error in a home at / whose home that is. */
export function withHome(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const done = new Set<string>();
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    if (container === undefined || finding.severity === 'info' || done.has(container.name)) return finding;
    done.add(container.name);
    const text = /\bHOME\b/.test(finding.says) ? undefined : homeText(facts, container, finding.says);
    return text === undefined ? finding : { ...finding, says: `${finding.says}; ${text}` };
  });
}

function homeText(facts: PodFacts, container: ContainerFacts, says: string): string | undefined {
  const { decisive } = container.reading;
  const lines = [decisive?.line, ...(decisive?.related ?? []), container.failing?.line].flatMap((line) => line ?? []);
  const user = container.spec.securityContext?.runAsUser ?? facts.pod.spec?.securityContext?.runAsUser;
  const who = user === undefined ? 'its user' : `its user ${user}`;
  const inHome = lines.find((line) => REFUSED.test(line) && IN_ROOT.test(line));
  const file = inHome === undefined ? undefined : IN_ROOT.exec(inHome)?.[1];
  const own = container.spec.env?.find(({ name }) => name === 'HOME')?.value;
  if (file !== undefined && user !== 0) {
    const home = file.startsWith('/nonexistent') ? '/nonexistent' : '/';
    if (own !== undefined && own !== home) return undefined;
    const why =
      own !== undefined
        ? `its variable HOME is ${own}`
        : home === '/'
          ? `HOME of ${who} is /, as it has no entry in /etc/passwd`
          : `${who} has the home /nonexistent, which is none`;
    return `${why}, so set HOME to a folder that it may write${says.includes(file) ? '' : ` (${file})`}`;
  }
  return lines.some((line) => NAMELESS.test(line)) && user !== undefined && user !== 0
    ? `${who} has no entry in /etc/passwd of its image`
    : undefined;
}
