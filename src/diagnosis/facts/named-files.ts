/** Tells of a file that an error names in which volume it lies, of which ConfigMap or Secret, and what that has instead. Pure. */
import { fileIn } from '../../log-analysis/index.ts';
import type { RankedFinding } from '../finding.ts';
import type { ConfigReference } from './config-references.ts';
import type { ContainerFacts } from './container-facts.ts';
import { withFirstEnds } from './first-ends.ts';
import { configsBehind, type MountedVolume, volumeOf } from './mounts.ts';
import { configsElsewhere, otherPlaceText } from './other-mounts.ts';
import type { PodFacts } from './pod-facts.ts';
import { listed } from './text.ts';

/** Keys of a ConfigMap or Secret that are listed. */
const MAX_KEYS = 5;

const IS_ABSENT =
  /no such file|does not exist|not found|ENOENT|FileNotFound|NoSuchFile|(?:can't|cannot|could not|unable to) (?:find|open|read|load)/i;

/** The findings about ends; the first of each container says where the file comes from that it names. */
export function withFiles(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstEnds(facts, found, (container, finding) => {
    const text = originText(facts, container, finding.says) || elsewhereText(facts, container, finding);
    return text === '' ? finding : { ...finding, says: `${finding.says}; ${text}` };
  });
}

/** The ConfigMaps and Secrets behind the file that a container's decisive line names. */
export function namedConfigs(facts: PodFacts, container: ContainerFacts): readonly ConfigReference[] {
  const { decisive } = container.reading;
  const file = decisive === undefined || container.death === undefined ? undefined : fileIn(decisive.line);
  if (decisive === undefined || file === undefined) return [];
  const mounted = volumeOf(facts, container, file);
  if (mounted !== undefined) return configsBehind(mounted).map(({ kind, name }) => ({ kind, name }));
  return IS_ABSENT.test(decisive.line) ? configsElsewhere(facts, container, file) : [];
}

/** Where else the file may be that the finding says is not there. */
function elsewhereText(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): string {
  const file = IS_ABOUT_ABSENT.has(id) ? ABSENT_FILE.exec(says)?.[1] : undefined;
  return file === undefined ? '' : otherPlaceText(facts, container, file);
}

const IS_ABOUT_ABSENT: ReadonlySet<string> = new Set(['missing-setting', 'missing-binary']);
const ABSENT_FILE = /(?:does not find its file|its program) (\/[^\s,;]{1,300}?)(?= in image| is not|[,;]|$)/;

/** "/etc/mqtt/passwd is of Secret iot-users, which has only passwords" */
function originText(facts: PodFacts, container: ContainerFacts, says: string): string {
  const { decisive } = container.reading;
  const file = decisive === undefined ? undefined : fileIn(decisive.line);
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  if (file === undefined || mounted === undefined) return '';
  const [config, ...more] = configsBehind(mounted);
  if (config === undefined || more.length > 0) return '';
  const keys = keysOf(facts, config, mounted);
  const key = file.slice(mounted.mountPath.replace(/\/+$/, '').length + 1);
  const isThere = keys === undefined || keys.includes(key);
  if (says.includes(config.name)) return isThere ? '' : `it has ${keysText(keys)}`;
  const of = `${config.kind} ${config.name}`;
  return isThere ? `${file} is of ${of}` : `${file} would be of ${of}, which has ${keysText(keys)}`;
}

function keysText(keys: readonly string[]): string {
  if (keys.length === 0) return 'no keys';
  return keys.length > MAX_KEYS ? `${keys.length} other keys` : `only ${listed(keys)}`;
}

/** The names that the volume gives its files; undefined: they are not known, or the volume names some of its own. */
function keysOf(
  { evidence }: PodFacts,
  { kind, name }: ConfigReference,
  { volume }: MountedVolume,
): readonly string[] | undefined {
  const items = volume.configMap?.items ?? volume.secret?.items;
  if (items !== undefined || volume.projected !== undefined) return undefined;
  const known = evidence.configs.find((config) => config.kind === kind && config.name === name);
  return known?.state === 'found' ? known.keys : undefined;
}
