/** Names the file that a container's own code reads, behind an error that is about a file and names none. Pure. */
import { fileIn } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import { codeTexts } from '../variables/code-variables.ts';
import { configFiles, isCode } from '../configs/config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf, pathWithin } from './mounted-files.ts';
import { volumeOf } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** "/etc/router/sys.config" in quotation marks. */
const PATH = /["'`](\/[\w@%+.,~-]{1,100}(?:\/[\w@%+.,~-]{1,100}){1,12})["'`]/g;
/** What is said of a file that is not there, and of one that cannot be parsed. */
const IS_ABSENT = /\benoent\b|no such file|FileNotFound|NoSuchFile/i;
const IS_MALFORMED =
  /\b(?:parse|parsing|parser|literal|malformed|unexpected|unterminated|unmatched|even number of forms|EOF while reading|bad (?:format|syntax)|invalid (?:json|ya?ml|toml|xml|edn|syntax|format))\b/i;
const OF_SYSTEM = /^\/(?:dev|proc|sys|tmp|bin|sbin|usr|lib\w*|run)\//;

/** "its code reads /etc/clj/config.edn, of ConfigMap rules"; undefined: the error names a file, or several may be meant. */
export function fileReadByCode(
  facts: PodFacts,
  container: ContainerFacts,
  { id, says }: RankedFinding,
): string | undefined {
  const { decisive, lastLine } = container.reading;
  const line = decisive?.line ?? lastLine ?? '';
  if (!/^(?:exit-code|malformed-config|missing-setting)$/.test(id) || fileIn(line) !== undefined) return undefined;
  const named = codeTexts(facts, container).flatMap(({ lines }) =>
    lines.flatMap((text) => [...text.matchAll(PATH)].flatMap(([, path]) => path ?? [])),
  );
  const paths = [...new Set(named)].filter((path) => !isCode(path) && !OF_SYSTEM.test(path));
  if (IS_ABSENT.test(line)) {
    const [only, ...more] = paths.filter((path) => !isThere(facts, container, path));
    return only === undefined || more.length > 0 || says.includes(only)
      ? undefined
      : `its code reads ${only}${isMounted(facts, container, only) ? '' : ', where no volume of it is mounted'}`;
  }
  if (!IS_MALFORMED.test(line)) return undefined;
  const known = configFiles(facts, container).filter(({ file }) => paths.includes(file));
  const [only, ...more] = known;
  const { config } = only?.origin ?? {};
  return only === undefined || more.length > 0 || config === undefined || says.includes(only.file)
    ? undefined
    : `its code reads ${only.file}, of ${config.kind} ${config.name}`;
}

function isMounted(facts: PodFacts, container: ContainerFacts, path: string): boolean {
  return volumeOf(facts, container, path) !== undefined;
}

/** Whether a volume has it, as far as that is known. */
function isThere(facts: PodFacts, container: ContainerFacts, path: string): boolean {
  const mounted = volumeOf(facts, container, path);
  const files = mounted === undefined ? undefined : filesOf(facts, mounted);
  return mounted !== undefined && (files?.some((file) => file.path === pathWithin(mounted, path)) ?? false);
}
