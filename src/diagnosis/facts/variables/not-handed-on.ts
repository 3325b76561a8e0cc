/** Finds who keeps a variable of the container from a program in it that says that it is not set: cron, su, sudo, PHP-FPM. Pure. */
import { configTexts } from '../configs/config-texts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';
import { codeTexts, variablesRead } from './code-variables.ts';

/** Of a command, and what it does with the variables of the container. */
const KEEPERS: readonly (readonly [pattern: RegExp, says: string])[] = [
  [/(?:^|[\s/;&|])(?:cron|crond|anacron|fcron)(?=$|[\s;&|])/, 'cron starts its jobs with variables of its own alone'],
  [
    /\bsu (?:-|-l|--login)(?=\s)|\brunuser (?:-l|-)(?=\s)|\bsu .{0,60}\s-l?(?=\s|$)/,
    'su with a login shell begins with variables of its own alone',
  ],
  [/\bsudo (?!(?:\S+ )*(?:-E|--preserve-env))/, 'sudo keeps few variables, unless -E says so'],
  [/\benv -i\b|\benv --ignore-environment\b/, 'env -i begins without variables'],
  [/\bsshd\b/, 'sshd starts sessions with variables of its own alone'],
];

/** "; its container sets it, but cron starts its jobs with variables of its own alone"; undefined: it does not set the variable. */
export function keptFrom(container: Pick<ContainerFacts, 'spec' | 'environment'>, name: string): string | undefined {
  const variable = container.environment.find((each) => each.name === name);
  if (variable === undefined || variable.value === '') return undefined;
  const command = commandText(container.spec);
  const known = KEEPERS.find(([pattern]) => pattern.test(command))?.[1];
  // What an object sets may not have been there at the start.
  if (known === undefined && variable.of !== undefined) return undefined;
  const keeper = known ?? 'what runs in it does not hand it on';
  return `the container sets it, but ${keeper}`;
}

const RUNS_FPM = /\bphp-?fpm[\d.]{0,4}\b/;
const IS_POOL = /^\s*pm(?:\.\w+)?\s*=|^\s*\[www\]/m;
const KEEPS_ENV = /^\s*clear_env\s*=\s*["']?(?:no|off|0|false)\b/m;
const OF_PHP = /\bPHP (?:message|Fatal|Warning|Notice)\b|\.php\b/;

/** "PHP-FPM clears the environment …, so that index.php does not see the variable REDIS_HOST"; undefined: none of its variables is kept so. */
export function clearedByFpm(facts: PodFacts, container: ContainerFacts, said: string): string | undefined {
  if (!OF_PHP.test(said)) return undefined;
  for (const each of [container, ...facts.containers.filter((other) => other !== container)]) {
    if (!RUNS_FPM.test(commandText(each.spec))) continue;
    const pools = configTexts(facts, each).filter(({ text }) => IS_POOL.test(text));
    const [pool] = pools;
    if (pool === undefined || pools.some(({ text }) => KEEPS_ENV.test(text))) continue;
    const set = new Set(each.environment.map(({ name }) => name));
    const read = variablesRead(codeTexts(facts, each)).find(({ name, file }) => set.has(name) && file.endsWith('.php'));
    if (read === undefined) continue;
    const passed = new RegExp(String.raw`^\s*env\[${read.name}\]`, 'm');
    if (pools.some(({ text }) => passed.test(text))) continue;
    return `PHP-FPM clears the environment, as ${pool.at} does not say clear_env = no, so that ${read.file} does not see the variable ${read.name} that container ${each.name} sets`;
  }
  return undefined;
}
