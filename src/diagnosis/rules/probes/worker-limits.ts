/** What a server says of its workers while a probe gets no answer: they are killed for their time, or all of them are busy. Not a rule by itself. */
import { maskSecrets, msAfter } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { configFiles } from '../../facts/configs/config-files.ts';
import { lastLine, quoteLine } from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { ProbeFailure } from '../../facts/probes/probe-failures.ts';
import { placeText } from '../../facts/peers/spec-peers.ts';
import { quotable } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { saidBy, title } from '../ends/exit-code.ts';

interface WorkerLimit {
  readonly id: 'worker-timeout' | 'workers-busy';
  readonly pattern: RegExp;
  /** "container web" and then: what it means. The setting and the line follow. */
  readonly means: string;
  /** The setting in arguments, variables and configurations. */
  readonly setting: RegExp;
  /** What counts where nothing sets it. */
  readonly byDefault: string;
}

const LIMITS: readonly WorkerLimit[] = [
  {
    id: 'worker-timeout',
    pattern: /\bWORKER TIMEOUT \(pid: ?\d+\)/,
    means: "kills its own workers, which are not up, or do not answer, within gunicorn's timeout",
    setting: /(?:--timeout|(?<![\w-])-t)[ =]\d{1,6}\b|^\s*timeout\s*=\s*\d{1,6}\b/m,
    byDefault: '30 s by default',
  },
  {
    id: 'worker-timeout',
    pattern: /\bHARAKIRI (?:ON WORKER|!!!)|\bharakiri\b.{0,40}\bworker\b/i,
    means: "kills its own workers, which need longer for a request than uWSGI's harakiri",
    setting: /(?:--)?harakiri[ =]\s{0,3}\d{1,6}\b/,
    byDefault: 'harakiri',
  },
  {
    id: 'worker-timeout',
    pattern: /\bworker=\d+ PID: ?\d+ timeout \(\d+s > \d+s\), killing/,
    means: "kills its own workers, which need longer than unicorn's timeout",
    setting: /^\s*timeout\s+\d{1,6}\b/m,
    byDefault: '60 s by default',
  },
  {
    id: 'worker-timeout',
    pattern: /\bTerminating timed out worker\b|\bworker \d+ failed to (?:boot|check in) within \d+ seconds/i,
    means: "kills its own workers, which need longer than puma's timeout",
    setting: /\bworker_(?:boot_)?timeout[ (]\s{0,3}\d{1,6}\b/,
    byDefault: '60 s by default',
  },
  {
    id: 'worker-timeout',
    pattern: /\bexecution timed out \([\d.]+ sec\), terminating/,
    means: "kills its own workers, which need longer for a request than PHP-FPM's request_terminate_timeout",
    setting: /\brequest_terminate_timeout\s*=\s*\w{1,8}\b/,
    byDefault: 'request_terminate_timeout',
  },
  {
    id: 'workers-busy',
    pattern: /\bserver reached (?:pm\.)?max_children setting \(\d+\)/,
    means: 'has no worker left for a request, as all that pm.max_children allows are busy',
    setting: /\bpm\.max_children\s*=\s*\d{1,6}\b/,
    byDefault: 'pm.max_children',
  },
  {
    id: 'workers-busy',
    pattern: /\bserver reached MaxRequestWorkers\b|\bAH00(?:484|161|286|287)\b/,
    means: 'has no worker left for a request, as all that MaxRequestWorkers allows are busy',
    setting: /\bMaxRequestWorkers\s+\d{1,6}\b/i,
    byDefault: 'MaxRequestWorkers',
  },
  {
    id: 'workers-busy',
    pattern: /\b\d+ worker_connections are not enough\b/,
    means: 'takes no more connections, as all that worker_connections allows are in use',
    setting: /\bworker_connections\s+\d{1,7}\b/,
    byDefault: '512 by default',
  },
  {
    id: 'workers-busy',
    pattern: /\blisten queue of socket .{1,200} full\b/i,
    means: 'has no worker left for a request, and its listen queue is full',
    setting: /(?:--)?(?:processes|workers|listen)[ =]\s{0,3}\d{1,6}\b/,
    byDefault: 'processes, listen',
  },
  {
    id: 'workers-busy',
    pattern: /\ball threads \(\d+\) are currently busy\b|\bMaximum number of threads \(\d+\) created\b/i,
    means: 'has no thread left for a request',
    setting: /\bmaxThreads\s*=\s*["']?\d{1,6}\b|\bserver\.(?:tomcat|jetty)\.threads\.max\s*[:=]\s*\d{1,6}\b/,
    byDefault: '200 by default',
  },
];

/** Workers may have been busy so long before the first probe that got no answer, ms. */
const BEFORE_MS = 120_000;

/** What a container, or another of its pod, says of its workers since its probe gets no answer; undefined: nothing. */
export function workerLimit(
  facts: PodFacts,
  container: ContainerFacts,
  { firstMs }: Pick<ProbeFailure, 'firstMs'>,
): RankedFinding | undefined {
  const others = facts.containers.filter((each) => each !== container && each.kind !== 'init');
  return [container, ...others].flatMap((each) => limitOf(facts, each, firstMs - BEFORE_MS) ?? [])[0];
}

/** Rule: the same of a container that looks well, and whose log says so again and again: seen as if that had ended it. */
export const workersLately: PodRule = eachContainer((facts, container) => {
  if (container.again === undefined || container.death === undefined) return NOTHING;
  const found = limitOf(facts, container, 0);
  return found === undefined ? NOTHING : [{ ...found, topic: `end/${container.name}` }];
});

/** What a proxy says of one that has no worker for its request. */
const NO_ANSWER = /\btim(?:ed|e)[ -]?out\b|\bdeadline\b|\bprematurely closed\b|\b50[234]\b/i;
const BUSY_RANK = 60;

/** Rule: the same of a container that looks well, while another one of its pod gets no answers. */
export const workersBeside: PodRule = (facts) => {
  const asking = facts.containers.find(({ again }) => again !== undefined && NO_ANSWER.test(again.said.line));
  if (asking === undefined) return NOTHING;
  return facts.containers.flatMap((container) => {
    if (container === asking || container.kind === 'init' || container.death !== undefined) return [];
    const found = limitOf(facts, container, 0);
    return found === undefined
      ? []
      : [{ ...found, severity: 'warning' as const, rank: BUSY_RANK, topic: `runs/${container.name}` }];
  });
};

function limitOf(facts: PodFacts, container: ContainerFacts, sinceMs: number): RankedFinding | undefined {
  for (const { id, pattern, means, setting, byDefault } of LIMITS) {
    const word = lastLine(container, pattern);
    const laterMs = word === undefined ? undefined : msAfter(word.line, sinceMs);
    if (word === undefined || (laterMs !== undefined && laterMs > facts.now - sinceMs)) continue;
    const said =
      container.failing?.line.includes(word.match[0]) === true ? saidBy(container.failing) : quotable(word.line);
    const set = settingOf(facts, container, setting);
    return {
      id,
      severity: 'critical',
      rank: 87,
      topic: `ready/${container.name}`,
      container: container.name,
      says: `${title(container)} ${means} (${set ?? byDefault}): ${said.replace(/\.+$/, '')}`,
      evidence: [quoteLine(container, word.line)],
      try: [facts.commands.kubectl('logs', facts.name, '-c', container.name), ...facts.commands.edit],
    };
  }
  return undefined;
}

/** "--timeout=5 of variable GUNICORN_CMD_ARGS of ConfigMap web, key GUNICORN_CMD_ARGS" */
function settingOf(facts: PodFacts, container: ContainerFacts, pattern: RegExp): string | undefined {
  const { spec, environment } = container;
  const inWords = pattern.exec([...(spec.command ?? []), ...(spec.args ?? [])].join(' '))?.[0];
  if (inWords !== undefined) return `${inWords.trim()} of its arguments`;
  for (const variable of environment) {
    const found = pattern.exec(variable.value)?.[0];
    if (found !== undefined) return `${maskSecrets(found.trim())} of ${placeText(variable)}`;
  }
  for (const { origin } of configFiles(facts, container)) {
    const { config, key = '' } = origin ?? {};
    const known = facts.evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
    const found = pattern.exec(known?.texts?.[key] ?? '')?.[0];
    if (found !== undefined) return `${maskSecrets(found.trim())} of ConfigMap ${known?.name ?? ''}, key ${key}`;
  }
  return undefined;
}
