/** Watches over the rules of this instance in the packet filter, and tells by events of the node what becomes of them. */
import { createEventRecorder, type KubeClient } from '../client/index.ts';
import type { MetricsRegistry } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { keepRules, type KeptTable } from '../network/index.ts';
import { openRouterMachine } from '../network/router/router-machine.node.ts';
import type { Ground } from './ground.ts';

/** Tells of the node's routing by an event of the node. */
export type TellOfRouting = (reason: string, message: string) => void;

export interface RulesOfNode {
  readonly metrics: MetricsRegistry;
  readonly tables: readonly KeptTable[];
  /** The rules of the pods' network outside of our tables. @returns those that were missing; they are back */
  readonly restoreOthers: () => Promise<readonly string[]>;
  /** Why host ports are not in a table of ours; undefined: they are, or they are another's. */
  readonly whyNoTable: string | undefined;
  readonly tell: TellOfRouting;
}

export function startKeptRules(
  { clock, background, ...ground }: Ground,
  { metrics, tables, restoreOthers, whyNoTable, tell }: RulesOfNode,
): void {
  const logger = ground.logger.child({ component: 'rules' });
  if (whyNoTable !== undefined) {
    const message =
      `nftables cannot be used (${whyNoTable}): host ports and masquerade are rules of iptables. ` +
      'Pods that started while nftables was there have their host ports again when they are started anew';
    logger.warn(message);
    tell('HostPortsByPortmap', message);
  }
  const kept = { tables, restoreOthers, tell: (message: string) => tell('PacketFilterRestored', message) };
  const names = tables.map(({ table }) => table);
  const machine = openRouterMachine(systemProcess, names);
  background.start('rules', (signal) => keepRules({ machine, clock, logger, metrics }, kept, signal));
}

/** Starts to record events of this node's routing. */
export function routingEvents(
  { clock, random, logger, background }: Ground,
  client: KubeClient,
  nodeName: string,
): TellOfRouting {
  const events = createEventRecorder({
    client,
    clock,
    random: random.split('service-router-events'),
    logger: logger.child({ component: 'service-router' }),
    component: 'mendlet-service-router',
    host: nodeName,
  });
  const node = { kind: 'Node', apiVersion: 'v1', name: nodeName, uid: nodeName };
  background.start('events of the service router', (signal) => events.run(signal));
  return (reason, message) => events.event(node, 'Warning', reason, message);
}
