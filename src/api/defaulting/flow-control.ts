/** Defaults of FlowSchemas and PriorityLevelConfigurations (upstream: pkg/apis/flowcontrol/v1/defaults.go). */
import type { FlowSchema, PriorityLevelConfiguration } from '../types.gen.ts';

const PRECEDENCE = 1000;
const SHARES = 30;
const QUEUES = 64;
const HAND_SIZE = 8;
const QUEUE_LENGTH = 50;

export function defaultFlowSchema({ spec }: FlowSchema): void {
  if (spec !== undefined) spec.matchingPrecedence ||= PRECEDENCE;
}

export function defaultPriorityLevel({ metadata, spec }: PriorityLevelConfiguration): void {
  if (spec === undefined) return;
  if (metadata?.name === 'exempt') spec.exempt ??= {};
  if (spec.exempt !== undefined) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
  const { limited } = spec;
  if (limited === undefined) return;
  limited.nominalConcurrencyShares ??= SHARES;
  limited.lendablePercent ??= 0;
  const queuing = limited.limitResponse?.queuing;
  if (queuing === undefined) return;
  queuing.queues ||= QUEUES;
  queuing.handSize ||= HAND_SIZE;
  queuing.queueLengthLimit ||= QUEUE_LENGTH;
}
