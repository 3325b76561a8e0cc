/** Tells who keeps the statements of a database waiting that complains of nothing else, and the command that shows what that does. Pure. */
import { type LockHolder, lockHolder } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

const WAITS_FOR_LOCK = /\bstill waiting for \w+ on \w+/;

/** The holder may have come long before those who wait. */
function holderOf({ evidence }: PodFacts, { name, again, lines }: ContainerFacts): LockHolder | undefined {
  if (again === undefined || !WAITS_FOR_LOCK.test(again.said.line)) return undefined;
  const { beginning = [], current = lines } = evidence.logs[name] ?? {};
  return lockHolder([...beginning, ...current]);
}

/** "process 60 (shop@shop app=report) holds it; process 106 waits before the others for …"; undefined: it is not about a lock. */
export function holderSaid(facts: PodFacts, container: ContainerFacts): string | undefined {
  const holder = holderOf(facts, container);
  if (holder === undefined) return undefined;
  const { ahead, waits } = holder;
  const first =
    ahead !== undefined
      ? `; ${named(ahead)} waits before the others for ${ahead.mode}, which lets nobody by`
      : waits?.statement === undefined
        ? ''
        : `; for it waits ${named(waits)}`;
  return `${named(holder)} holds it${first}`;
}

/** "process 60 (app=report: BEGIN)" */
function named({ process, session, statement }: Pick<LockHolder, 'process' | 'session' | 'statement'>): string {
  const words = [session, statement].filter((each) => each !== undefined).join(': ');
  return words === '' ? `process ${process}` : `process ${process} (${words})`;
}

/** Shows what the holder does, as the database sees it. */
export function holderWanted(facts: PodFacts, container: ContainerFacts): readonly string[] {
  const { commands, name } = facts;
  const holder = holderOf(facts, container);
  if (holder === undefined) return [];
  const sql = `select pid, usename, application_name, client_addr, state, xact_start, query from pg_stat_activity where pid = ${holder.process}`;
  return [commands.kubectl('exec', name, '-c', container.name, '--', 'psql', '-U', 'postgres', '-c', sql)];
}
