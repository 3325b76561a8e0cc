/** Rule: the log says that a configuration, certificate or key exists but cannot be parsed. */
import { anyOf } from '../../../log-analysis/index.ts';
import { certificateMount } from '../../facts/files/certificate-mounts.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { configFile, isCode, unknownSetting } from '../../facts/configs/config-files.ts';
import { endedByItself, lastWord, quoteLine, rankOfWord } from '../../facts/words/last-words.ts';
import { type ConfigBehind, configsBehind, type MountedVolume, volumeOf } from '../../facts/files/mounts.ts';
import { fileIn } from '../../../log-analysis/index.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';

const MALFORMED = new RegExp(
  [
    // JSON: Go, Node.js, Python, Java
    String.raw`invalid character .+ (?:looking for|after|in (?:string|literal))|unexpected end of JSON input`,
    String.raw`Unexpected (?:token|end|non-whitespace)\b.*\bJSON|\bin JSON at position \d|(?:is not|does not contain|doesn't contain) (?:a )?valid (?:JSON|YAML|XML|TOML)|\bJSONDecodeError\b|json: cannot unmarshal|JsonParseException|JSON::ParserError`,
    // YAML
    String.raw`yaml: (?:line \d+|unmarshal errors|control characters)|error converting YAML|mapping values are not allowed`,
    String.raw`found character .+ that cannot start any token|YAMLException|ScannerError|yaml.*did not find expected`,
    // TOML, INI and similar formats
    String.raw`toml: (?:line|expected|invalid)|TOML parse error|TOMLDecodeError|MissingSectionHeaderError`,
    String.raw`\bin \/\S+\.(?:conf|cfg|ini|cnf):\d+`,
    String.raw`(?:fail\w*|error\w*|cannot|can't|could not|couldn't|unable) (?:to |while |in |during )?(?:pars\w+|decod\w+|unmarshal\w*|deseriali[sz]\w+)\b.{0,60}\/`,
    String.raw`(?:parse|parsing|unmarshal\w*|decod\w+)\b.{0,40}\bconfig|(?:malformed|invalid) (?:\w+ ){0,2}config`,
    String.raw`\bconfig\w*\b.{0,30}\b(?:parse error|parsing|syntax error|unmarshal|malformed)\b`,
    // Servers
    String.raw`syntax error (?:in file|on line|near)|invalid command '|bad directive|(?:unknown|unrecognized) directive|(?:bad|invalid|illegal|unknown|missing) [\w -]{1,40} (?:at|in|on) line \d+|adapting config|was not closed|unknown configuration (?:variable|key|option|parameter)|unknown (?:keyword|field|key|setting|section)|\berrors? in (?:the )?config|no setting with that name|option without preceding group|unrecognized configuration parameter|invalid value for parameter|unknown variable|invalid connection type|unexpected (?:end of file|"[^"]{1,20}"), (?:expecting|in)|(?:parser|parse|syntax) error`,
    // Certificates and keys
    String.raw`failed to find any PEM data|PEM_read_bio|no start line|private key does not match|key values mismatch|inconsistencies between private key and certificate`,
    String.raw`asn1: structure error|malformed certificate|illegal base64 data`,
  ].join('|'),
  'i',
);

const OTHER_CAUSE = anyOf(
  /syntax error compiling/i,
  /(?:could not|couldn't|cannot|can't|failed to|unable to) create/i,
  /host not found/i,
  /no such file/i,
  /file is missing/i,
  /permission denied/i,
  /is a directory/i,
  /connection refused/i,
  /no such host\b/i,
  /address already in use/i,
  /read-only file system/i,
  /line \d+: syntax error/i,
  /\.(?:p[lmy]|rb|php|sh|[cm]?js|ts)\b.{0,20}(?:line \d+: ?)?syntax error/i,
  /syntax error at \S+\.p[lm]\b/i,
  /parse error: .* in \S+\.php\b/i,
);
/** The file and the line where a parser stopped. */
const PLACE = anyOf(
  /(?: in | of |^|[\s[(])["']?(\/[^\s:"']{1,300})["']?:\d+/,
  /line \d+ of (?:configuration file )?["']?(\/[^\s:"']{1,300})/,
  /in (?:file )?["'](\/[^\s:"']{1,300})["'],? line \d/,
);

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const word = lastWord(container, MALFORMED);
  // A name that does not resolve, or a file that is not there, is not the configuration's form.
  if (word === undefined || OTHER_CAUSE.test(word.line)) return NOTHING;
  const { decisive } = container.reading;
  // A wrapper says that the configuration is wrong, and the decisive line below it what is.
  if (decisive !== undefined && word.fromEnd === 0 && OTHER_CAUSE.test(decisive.line)) return NOTHING;
  const told = word.fromEnd === 0 && decisive !== undefined ? decisive.line : word.line;
  const source = sourceOf(facts, container, word.line);
  const file = source.file === undefined ? '' : ` ${source.file}`;
  // Programs also parse answers of peers, which are no configuration.
  const isConfig = source.file !== undefined || /config|\bPEM\b|\bkey\b/i.test(word.line);
  const origins = source.configs.map(({ kind, name }) => `${kind} ${name}`);
  const origin = origins.length === 0 ? '' : `, which comes of ${listed(origins)}`;
  return [
    explainedEnd(facts, container, {
      id: 'malformed-config',
      rank: rankOfWord(isConfig ? 83 : 70, word),
      says: KEY_MISMATCH.test(word.line)
        ? `${title(container)} has a private key that does not fit its certificate${keyText(facts, container, source)}: ${quotable(told).replace(/\.+$/, '')}`
        : `${title(container)} cannot ${isConfig ? `read its configuration${file}` : 'parse what it reads'}${origin}: ${quotable(told).replace(/\.+$/, '')}`,
      line: word.line,
      more: [
        ...(source.line === undefined || source.line === word.line ? [] : [quoteLine(container, source.line)]),
        ...source.configs.map(({ quote }) => quote),
      ],
      try: [
        ...source.configs.map(({ kind, name }) => facts.commands.kubectl('edit', kind.toLowerCase(), name)),
        ...(source.configs.length === 0 ? [commandForLog(facts, container), ...facts.commands.edit] : []),
      ],
    }),
  ];
};

export const malformedConfig: PodRule = eachContainer(ofContainer);

const KEY_MISMATCH =
  /private key does not match|key values mismatch|inconsistencies between private key and certificate/i;

/** ": /etc/tls/tls.key of Secret shop-tls", or the only Secret with certificates where no file is named. */
function keyText(facts: PodFacts, { spec }: ContainerFacts, { file, configs }: Source): string {
  const of = configs.map(({ kind, name }) => `${kind} ${name}`);
  if (file !== undefined) return `: ${file}${of.length === 0 ? '' : ` of ${listed(of)}`}`;
  const mount = certificateMount(facts.pod, [spec]);
  return mount === undefined ? '' : ` (Secret ${mount.secret}, at ${mount.mountPath})`;
}

const OF_SERVER = /config|directive|\bsection\b/i;

interface Source {
  readonly file?: string;
  readonly line?: string;
  readonly configs: readonly ConfigBehind[];
}

/** The file that the complaint names, else the last file of a ConfigMap or Secret that any line names. */
function sourceOf(facts: PodFacts, container: ContainerFacts, complaint: string): Source {
  // Ruby names the place in its own code first.
  const own = complaint.replace(/^\S{1,300}:\d+:in [`'][^']{0,200}': /, '');
  const place = PLACE.exec(own);
  const told = place?.[1] ?? place?.[2] ?? place?.[3] ?? fileIn(own);
  // A place in its code is where it read something else.
  const named = told !== undefined && isCode(told) ? undefined : told;
  for (const line of [complaint, ...container.lines.toReversed()]) {
    const file = line === complaint ? named : fileIn(line);
    if (file !== undefined && isCode(file)) continue;
    const configs = file === undefined ? [] : configsOf(volumeOf(facts, container, file));
    if (configs.length > 0 && (named === undefined || named === file)) return { file, line, configs };
  }
  // Servers read one configuration; other programs parse answers of peers, too.
  const served =
    named !== undefined
      ? undefined
      : (unknownSetting(facts, container, complaint) ??
        (OF_SERVER.test(complaint) ? configFile(facts, container) : undefined));
  const { config } = served?.origin ?? {};
  if (served === undefined || config === undefined) return { file: named, configs: [] };
  const behind = configsOf(served.mounted).filter(({ kind, name }) => kind === config.kind && name === config.name);
  return { file: served.file, configs: behind };
}

function configsOf(mounted: MountedVolume | undefined): readonly ConfigBehind[] {
  return mounted === undefined ? [] : configsBehind(mounted);
}
