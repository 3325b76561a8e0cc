/** Tells of the file behind an error in which ConfigMap or Secret it lies, what that has instead, and what is odd about it. Pure. */
import { fileIn, filesIn } from '../../../log-analysis/index.ts';
import { nearNames } from '../../../lib/index.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { onlyAbsentFile } from './absent-files.ts';
import { configFile, type ConfigFile, configMounts, fileAt, isCode } from '../configs/config-files.ts';
import { type ConfigLine, lineNamed, lineText } from '../configs/config-lines.ts';
import type { ConfigReference } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { copiedConfigs } from '../configs/copied-configs.ts';
import { withFirstEnds, withFirstsOf } from '../pod/first-ends.ts';
import { endedByItself, saidNothing } from '../words/last-words.ts';
import { filesOf, originOf, pathWithin } from './mounted-files.ts';
import { configsBehind, type MountedVolume, volumeOf } from './mounts.ts';
import { nearNameText } from '../configs/near-names-of.ts';
import { LINE_END, placeholderIn } from '../configs/odd-content.ts';
import { configsElsewhere, otherPlaceText } from './other-mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { quotedLine } from '../words/quoted-line.ts';
import { type QuotedSetting, quotedSetting } from '../configs/quoted-settings.ts';
import { hasWord, listed } from '../words/text.ts';

/** Files of a volume that are listed. */
const MAX_FILES = 5;
/** Causes that no configuration of the pod has to do with. */
const UNRELATED =
  /^(?:out-of-memory|child-out-of-memory|sandbox-lost|died-together|signal|port-in-use|no-space|missing-binary|missing-module|wrong-architecture|not-executable|volume-.*|held|heap-exhausted|mount-mismatch)$/;
/** Findings that may be about what a configuration says, if their line is. */
const OF_CONTENT =
  /^(?:exit-code|malformed-config|missing-setting|bad-argument|completed-under-always|encoding|version-mismatch)$/;
/** Findings whose line may quote a setting, or a peer, an address or a library that a configuration names. */
const MAY_QUOTE =
  /^(?:exit-code|malformed-config|missing-setting|missing-module|bad-argument|address-not-available|completed-under-always|encoding|dependency-.*|unexpanded-variable)$/;
/** Findings about a name that is not there, and that may be spelt otherwise where it is defined. */
const MAY_MISS =
  /^(?:exit-code|malformed-config|missing-setting|bad-argument|completed-under-always|missing-data|dependency-not-resolved)$/;
/** What lines about a configuration speak of. */
const ABOUT_CONFIG =
  /config|\bcallable\b|\bconf\b|setting|directive|\bsections?\b|\boptions?\b|parameter|propert(?:y|ies)|\bfields?\b|\bkeys?\b|KeyError|NoneType|undefined|\bnil\b|ya?ml|json|toml|\bini\b|pars(?:e|ing)|syntax|schema|validat|\bunknown\b|invalid|\bmissing\b|required|expected|unexpected|unsupported|\bline \d|\brequires? ["'`][\w.-]{2,60}["'`]|(?:to|must|should) be (?:set|configured|specified|provided)\b|stanza|\bblock\b|for input string|NumberFormat/i;

/**
 * The findings; the first of each container about its end says where the file comes from that is wrong, and that about its readiness where
 * in its configuration stands what it quotes of the log.
 */
export function withFiles(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const told = withFirstsOf('ready', facts, found, (container, finding) => {
    const line = quotedLine(container, finding.says);
    const quoted = line === undefined ? undefined : quotedSetting(facts, container, line);
    const more = quoted === undefined ? undefined : ofFile(facts, quoted, finding.says);
    return more === undefined
      ? finding
      : { ...finding, says: `${finding.says}; ${more.says}`, evidence: [...finding.evidence, ...more.quotes] };
  });
  return withFirstEnds(facts, told, (container, finding) => {
    const elsewhere = elsewhereText(facts, container, finding);
    const told =
      originText(facts, container, finding.says) ??
      absentText(facts, container, finding) ??
      (elsewhere === '' ? configText(facts, container, finding) : { says: elsewhere, quotes: [] });
    const known = told === undefined ? finding.says : withoutContradiction(finding.says, told.says);
    const says = [known, told?.says ?? '', placeholderText(container)].filter((part) => part !== '').join('; ');
    const quotes = (told?.quotes ?? []).filter((quote) => !isQuoted(finding.evidence, quote));
    return { ...finding, says, evidence: [...finding.evidence, ...quotes] };
  });
}

/** "; etcd-0 is in its variable PEERS", as a part of another name, where that has nearly the name that is missed. */
function withoutContradiction(says: string, told: string): string {
  const place = /^(its variable [\w.]{1,100}) has \S{1,100} instead/.exec(told)?.[1];
  return place === undefined ? says : says.replace(new RegExp(String.raw`; \S{1,100} is in ${place}(?=;|$)`), '');
}

/** Of a variable in brackets another rule tells where it should come from. */
function placeholderText({ reading: { decisive } }: ContainerFacts): string {
  const found = decisive === undefined ? undefined : placeholderIn(decisive.line);
  return found === undefined || found.startsWith('$(') ? '' : `${found} is a placeholder that nothing has filled in`;
}

function isQuoted(evidence: readonly Quote[], quote: Quote): boolean {
  return evidence.some((each) => JSON.stringify(each) === JSON.stringify(quote));
}

/** The ConfigMaps and Secrets whose keys tell more about the end of a container; those of its account are none. */
export function namedConfigs(facts: PodFacts, container: ContainerFacts): readonly ConfigReference[] {
  const { decisive, lastLine } = container.reading;
  if (container.death === undefined) return [];
  const file = decisive === undefined ? undefined : fileIn(decisive.line);
  const named = (decisive === undefined ? [] : filesIn(decisive.line)).flatMap((each) => {
    const mounted = volumeOf(facts, container, each);
    return mounted === undefined ? [] : configsBehind(mounted);
  });
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  const line = decisive?.line ?? lastLine ?? '';
  const elsewhere =
    file !== undefined && mounted === undefined && IS_ABSENT.test(line) ? configsElsewhere(facts, container, file) : [];
  // Secrets are read only where the line asks for it.
  const all = endedByItself(container) ? configMounts(facts, container).flatMap((mount) => configsBehind(mount)) : [];
  const asks = ABOUT_CONFIG.test(line) || (file === undefined && MAY_LACK_FILE.test(line));
  const others = all.filter(({ kind }) => kind === 'ConfigMap' || asks);
  return [...named, ...elsewhere, ...others].map(({ kind, name }) => ({ kind, name }));
}

const IS_ABSENT =
  /no such file|does not exist|not found|ENOENT|FileNotFound|NoSuchFile|(?:can't|cannot|could not|unable to) (?:find|open|read|load)/i;

interface Told {
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** Where else the file may be that the finding says is not there. */
function elsewhereText(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): string {
  const file = IS_ABOUT_ABSENT.has(id) ? ABSENT_FILE.exec(says)?.[1] : undefined;
  return file === undefined ? '' : otherPlaceText(facts, container, file);
}

const IS_ABOUT_ABSENT: ReadonlySet<string> = new Set(['missing-setting', 'missing-binary']);
const ABSENT_FILE = /(?:does not find its file|its program) (\/[^\s,;]{1,300}?)(?= in image| is not|[,;]|$)/;

/** The file that the finding is about; the line may name the one that asks for it first. */
const NOT_FOUND = /does not find its file (\/[^\s,;:]{1,300}) in volume /;

/** "/etc/mqtt/passwd is of Secret iot-users, which has only passwords" */
function originText(facts: PodFacts, container: ContainerFacts, says: string): Told | undefined {
  const { decisive } = container.reading;
  const file = NOT_FOUND.exec(says)?.[1] ?? (decisive === undefined ? undefined : fileIn(decisive.line));
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  if (file === undefined || mounted === undefined) return undefined;
  // A place in its code is where it read something else.
  if (isCode(file) && originOf(facts, mounted, file) !== undefined) return undefined;
  const { volume } = mounted;
  const configs = configsBehind(mounted);
  if (configs.length === 0 && volume.projected === undefined && volume.downwardAPI === undefined) return undefined;
  const { origin } = fileAt(facts, mounted, file);
  if (origin !== undefined)
    return withLine(
      lineNamed(facts, container, decisive?.line ?? ''),
      ofFile(facts, { file, mounted, origin }, says),
      says,
    );
  const files = filesOf(facts, mounted);
  const of = configs.length === 1 ? configs.map(({ kind, name }) => `${kind} ${name}`)[0] : undefined;
  const subject = of ?? `volume ${volume.name}`;
  const isTold = says.includes(configs[0]?.name ?? `volume ${volume.name}`);
  if (files === undefined) {
    return isTold || of === undefined ? undefined : { says: `${file} is of ${of}`, quotes: [] };
  }
  const paths = files.map(({ path }) => path);
  const near = nearNames(pathWithin(mounted, file), paths);
  const has = filesText(paths, near);
  const over =
    near.length === 0 && isWholeFolder(mounted) ? `, and hides what the image has at ${mounted.mountPath}` : '';
  return {
    says: isTold ? `it has ${has}${over}` : `${file} would be of ${subject}, which has ${has}${over}`,
    quotes: [],
  };
}

/** What is told of a file, with its line that the error names by its number. */
function withLine(line: ConfigLine | undefined, told: Told | undefined, says: string): Told | undefined {
  const text = line === undefined ? undefined : lineText(line, says);
  if (text === undefined) return told;
  return { says: told === undefined ? text : `${told.says}, and ${text}`, quotes: told?.quotes ?? [] };
}

/** What an error without a file's name may be about that has to do with one. */
const MAY_LACK_FILE =
  /\bfiles?\b|not found|NotFound|ENOENT|\bmissing\b|\b(?:SSL|TLS|CA|PEM|x509|cert\w*|key ?store|trust ?store|key ?tab)\b|\b(?:open|read|load|includ)(?:s|e|ed|ing)?\b|config/i;

/** "line 3 of its configuration /c/m.cnf names /tls/ca.crt, which Secret tls does not have": of an error that names no file. */
function absentText(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): Told | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!OF_CONTENT.test(id) || !MAY_LACK_FILE.test(line) || fileIn(line) !== undefined) return undefined;
  const found = onlyAbsentFile(facts, container);
  if (found === undefined || says.includes(found.file)) return undefined;
  const { file, namedBy, of, has } = found;
  return { says: `${namedBy} names ${file}, which ${of} does not have: it has ${has}`, quotes: [] };
}

/** Folders that images have files in. */
const OF_IMAGES =
  /^\/(?:etc\/[\w.-]+|app|usr(?:\/.+)?|opt\/[\w./-]+|srv|var\/(?:lib|www)(?:\/.+)?|home\/[\w-]+|root)\/?$/;

/** A whole ConfigMap or Secret at a folder that the image may have, too. */
function isWholeFolder({ mountPath, subPath = '', volume }: MountedVolume): boolean {
  const isConfig = volume.configMap !== undefined || volume.secret !== undefined;
  return isConfig && subPath === '' && OF_IMAGES.test(mountPath);
}

/** "only a and app.yml", or of many those that are nearest. */
function filesText(files: readonly string[], near: readonly string[]): string {
  if (files.length === 0) return 'no keys';
  if (files.length <= MAX_FILES) return `only ${listed(files)}`;
  return near.length === 0 ? `${files.length} other keys` : `${listed(near)} instead`;
}

/** Of an error that names no file: the configuration that the container has. */
function configText(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): Told | undefined {
  const { decisive, lastError, lastLine } = container.reading;
  if (container.death === undefined || container.killed !== undefined) return undefined;
  const line = decisive?.line ?? lastError?.line ?? lastLine ?? '';
  const near = MAY_MISS.test(id) ? nearNameText(facts, container, line, says) : undefined;
  if (near !== undefined) return { says: near, quotes: [] };
  const quoted = MAY_QUOTE.test(id) ? quotedSetting(facts, container, line) : undefined;
  if (quoted !== undefined) return ofFile(facts, quoted, says);
  if (UNRELATED.test(id)) return undefined;
  const found = configFile(facts, container);
  if (found?.origin === undefined) return copiedText(facts, container, { id, line });
  // A program that ends at its start without a word may not like its configuration.
  const isSilent = id === 'exit-code' && saidNothing(facts, container);
  const isTold = id === 'malformed-config' && /\bof (?:ConfigMap|Secret) [a-z0-9]/.test(says);
  const isAsked =
    !isTold && OF_CONTENT.test(id) && (isSilent || ABOUT_CONFIG.test(line) || placeholderIn(line) !== undefined);
  if (!isAsked && !isSuspect(facts, found)) return undefined;
  return ofFile(facts, found, says);
}

/** "its configuration /work/a.conf is copied of ConfigMap a by init container copy (line 3)" */
function copiedText(
  facts: PodFacts,
  container: ContainerFacts,
  { id, line }: { readonly id: string; readonly line: string },
): Told | undefined {
  const all = copiedConfigs(facts, container);
  const quoted = MAY_QUOTE.test(id) ? quotedSetting(facts, container, line, all) : undefined;
  const [only, ...more] = quoted === undefined ? all : all.filter(({ file }) => file === quoted.file);
  const isAsked = quoted !== undefined || (OF_CONTENT.test(id) && ABOUT_CONFIG.test(line));
  if (only?.origin?.config === undefined || more.length > 0 || !isAsked) return undefined;
  const { kind, name } = only.origin.config;
  const at = quoted?.line === undefined ? '' : ` (line ${quoted.line})`;
  return {
    says: `its configuration ${only.copy} is copied of ${kind} ${name} by init container ${only.by}${at}`,
    quotes: configsBehind(only.mounted).map(({ quote }) => quote),
  };
}

/** Something about the file is seldom meant. */
function isSuspect(facts: PodFacts, { origin }: ConfigFile): boolean {
  return origin !== undefined && (origin.hides.length > 0 || oddOf(facts, origin) !== undefined);
}

function oddOf({ evidence }: PodFacts, { config, key = '' }: NonNullable<ConfigFile['origin']>): string | undefined {
  const known = evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
  const odd = known?.odd?.[key];
  return odd === LINE_END ? undefined : odd;
}

/** "/etc/gw/nginx.conf is of ConfigMap gw, key main.conf, and has only comments" */
function ofFile(
  facts: PodFacts,
  { file, mounted, origin, line, setting }: QuotedSetting,
  says: string,
): Told | undefined {
  if (origin?.config === undefined) return undefined;
  const { config, key = '', hides, path } = origin;
  const of = `${config.kind} ${config.name}`;
  const odd = oddOf(facts, origin);
  const isTold = says.includes(of) && says.includes(file);
  const more = [
    ...(key === path.split('/').at(-1) ? [] : [`key ${key}`]),
    // The program often says the line itself.
    ...(line === undefined || /\bline \d/i.test(says) || says.includes(`${file}:`) ? [] : [`line ${line}`]),
    // A word of a language is no setting.
    ...(setting === undefined || hasWord(says, setting) || isCode(file) ? [] : [setting]),
  ];
  const renamed = more.length === 0 ? '' : ` (${more.join(', ')})`;
  const quotes = configsBehind(mounted).flatMap(({ kind, name, quote }) =>
    [config, ...hides].some((each) => each.kind === kind && each.name === name) ? [quote] : [],
  );
  const name = says.includes(file) ? (isTold ? 'it' : file) : `its ${isCode(file) ? 'file' : 'configuration'} ${file}`;
  const parts = [
    ...(isTold ? [] : [`is of ${of}${renamed}`]),
    ...(odd === undefined ? [] : [odd]),
    ...(hides.length === 0
      ? []
      : [
          `hides that of ${listed([...new Set(hides.map((each) => `${each.kind} ${each.name}`))])}, as both are sources of volume ${mounted.volume.name}`,
        ]),
  ];
  return parts.length === 0 ? undefined : { says: `${name} ${listed(parts)}`, quotes };
}
