/** Rule: a container looks for a process that runs in another container of its pod, whose processes it does not see. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { quoteDeath } from '../../facts/pod/deaths.ts';
import { endedByItself, quoteLastLines, quoteLine } from '../../facts/words/last-words.ts';
import { configsBehind, mountedVolumes } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, severityOf, title } from './exit-code.ts';

/** Commands that look for a process by its name, and the file of its number: "pkill -HUP nginx", "kill -1 $(cat /run/nginx.pid)". */
const LOOKS_FOR: readonly RegExp[] = [
  /\b(?:pidof|pgrep|pkill|killall)((?:\s+-{1,2}[\w=-]{1,20}(?:\s+(?:HUP|USR[12]|TERM|INT|QUIT|SIG\w{2,6}|\d{1,2})\b)?){0,6})\s+["']?(?<name>[\w./-]{2,60})/g,
  /\bkill\b[^;&|\n]{0,40}(?:cat|<)\s{0,4}["']?[\w./-]{0,80}\/(?<name>[\w-]{2,40})\.pid\b/g,
  /(?:^|[;&|(]|\bthen|\bdo)\s{0,8}(?<name>nginx|openresty) -s (?:reload|reopen|quit|stop)\b/gm,
];
/** What is said of a process that is not there. */
const NOT_THERE =
  /no (?:such |\S{1,30} )?process|no process(?:es)? (?:found|matched)|process(?:es)? (?:\S{1,40} )?(?:is |was )?not (?:found|running)|invalid PID number|open\(\) "[^"]{1,200}\.pid" failed|\b(?:pidof|pgrep|pkill|killall)\b/i;

const ofContainer: ContainerRule = (facts, container) => {
  const { pod } = facts;
  if (pod.spec?.shareProcessNamespace === true || pod.spec?.hostPID === true) return NOTHING;
  const said = saidOf(container);
  if (said === undefined) return NOTHING;
  for (const name of namesLookedFor(facts, container)) {
    const other = facts.containers.find((each) => each !== container && each.kind !== 'init' && runs(each, name));
    if (other === undefined) continue;
    const { death } = container;
    return [
      {
        id: 'process-unseen',
        severity: death === undefined ? 'warning' : severityOf(container),
        rank: 88,
        topic: death === undefined ? `runs/${container.name}` : `end/${container.name}`,
        container: container.name,
        says: `${title(container)} does not find the process ${name}, which runs in ${title(other)}: the containers of its pod do not see each other's processes without shareProcessNamespace: true`,
        evidence: [
          ...(death === undefined ? [] : [quoteDeath(container.name, death)]),
          ...(said === '' ? quoteLastLines(container, 1) : [quoteLine(container, said)]),
          { source: 'field', path: 'spec.shareProcessNamespace', value: 'not set' },
          ...argumentsOf(container),
        ],
        try: facts.commands.edit,
        manifest: 'shareProcessNamespace: true\n',
      },
    ];
  }
  return NOTHING;
};

export const unseenProcesses: PodRule = eachContainer(ofContainer);

/** What it says of the process: nothing, of one that ended without an error; undefined: it has another trouble. */
function saidOf(container: ContainerFacts): string | undefined {
  const { again, reading } = container;
  if (again !== undefined) return NOT_THERE.test(again.said.line) ? again.said.line : undefined;
  if (!endedByItself(container)) return undefined;
  const line = reading.decisive?.line ?? '';
  return line === '' || NOT_THERE.test(line) ? line : undefined;
}

/** Programs that it looks for and does not start itself, by its command, or by a script that it has of a ConfigMap. */
function namesLookedFor(facts: PodFacts, container: ContainerFacts): readonly string[] {
  const { spec } = container;
  const command = [...(spec.command ?? []), ...(spec.args ?? [])].join('\n').slice(0, MAX_TEXT);
  const texts = [command, ...scriptsOf(facts, container, command)];
  const names = texts.flatMap((text) =>
    LOOKS_FOR.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(({ groups }) => groups?.['name'] ?? [])),
  );
  const bare = [...new Set(names.map((name) => name.split('/').at(-1) ?? ''))].filter((name) => /^[a-z]/i.test(name));
  return bare.filter((name) => !texts.some((text) => starts(text, name)));
}

const MAX_TEXT = 16 * 1024;

/** The files of its ConfigMaps that its command names. */
function scriptsOf(facts: PodFacts, container: ContainerFacts, command: string): readonly string[] {
  const names = mountedVolumes(facts, container).flatMap((mounted) => configsBehind(mounted).map(({ name }) => name));
  return facts.evidence.configs
    .filter(({ kind, name }) => kind === 'ConfigMap' && names.includes(name))
    .flatMap(({ texts = {} }) =>
      Object.entries(texts).flatMap(([key, text]) => (command.includes(key) ? [text.slice(0, MAX_TEXT)] : [])),
    );
}

/** Whether the text runs the program itself, and not only a command about it. */
function starts(text: string, name: string): boolean {
  const plain = name.replaceAll(/[^\w-]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`(?:^|[;&|(]|\bexec|\bdo|\bthen)\s{0,8}(?:/[\w/.-]{1,80}/)?${plain}(?! -s )(?:\s|$)`,
    'm',
  ).test(text);
}

/** Whether the program runs there, by the first words of its command, else by its image. */
function runs({ spec, status }: ContainerFacts, name: string): boolean {
  if (status?.state?.running === undefined) return false;
  const text = [...(spec.command ?? []), ...(spec.args ?? [])].join('\n').slice(0, MAX_TEXT);
  if ((spec.command ?? []).length > 0) return starts(text, name) || basename(spec.command?.[0] ?? '') === name;
  const image = basename((spec.image ?? '').split('@')[0] ?? '').split(':')[0] ?? '';
  return image === name || image.startsWith(`${name}-`) || image.endsWith(`-${name}`) || starts(text, name);
}

function basename(path: string): string {
  return path.split('/').at(-1) ?? '';
}
