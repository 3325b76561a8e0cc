/** The node conditions that the kubelet owns, and the events of their changes, in upstream's words. Pure. */
import { type NodeCondition, VOLUME_DISK_PROBLEM } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { PressureVerdict } from '../types.ts';

export interface ConditionFacts {
  readonly pressure: PressureVerdict;
  /** The reasons that keep the node from being Ready; empty when there are none. */
  readonly errors: readonly string[];
  /** Absent: the node makes no volumes. */
  readonly volumeDisk?: VolumeDiskVerdict;
  /** Wall ms. */
  readonly wall: number;
}

export interface VolumeDiskVerdict {
  readonly hasProblem: boolean;
  readonly reason: string;
  readonly message: string;
}

interface Verdict {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The reason of the event when the condition becomes so; a part of "Node NAME status is now: …". */
const EVENT_REASON: Readonly<Record<string, string>> = {
  KubeletReady: 'NodeReady',
  KubeletNotReady: 'NodeNotReady',
  KubeletHasSufficientMemory: 'NodeHasSufficientMemory',
  KubeletHasInsufficientMemory: 'NodeHasInsufficientMemory',
  KubeletHasNoDiskPressure: 'NodeHasNoDiskPressure',
  KubeletHasDiskPressure: 'NodeHasDiskPressure',
  KubeletHasSufficientPID: 'NodeHasSufficientPID',
  KubeletHasInsufficientPID: 'NodeHasInsufficientPID',
};

export interface NodeConditions {
  /** All of the node's conditions, others' included, in their order. */
  readonly conditions: NodeCondition[];
  /** Reasons of the events to emit. */
  readonly changes: readonly string[];
}

export function nodeConditions(before: readonly NodeCondition[], facts: ConditionFacts): NodeConditions {
  const now = formatTime(facts.wall);
  const conditions = [...before];
  const changes: string[] = [];
  for (const verdict of verdicts(facts)) {
    const index = conditions.findIndex(({ type }) => type === verdict.type);
    const old = conditions[index];
    const same = old?.status === verdict.status;
    const lastTransitionTime = same ? (old?.lastTransitionTime ?? now) : now;
    const condition: NodeCondition = { ...verdict, lastHeartbeatTime: now, lastTransitionTime };
    if (index >= 0) conditions[index] = condition;
    else conditions.push(condition);
    if (!same) changes.push(EVENT_REASON[verdict.reason] ?? verdict.reason);
  }
  return { conditions, changes };
}

function verdicts({ pressure, errors, volumeDisk }: ConditionFacts): readonly Verdict[] {
  const message = errors.length > 1 ? `[${errors.join(', ')}]` : (errors[0] ?? '');
  return [
    pressure.memory
      ? verdict('MemoryPressure', 'True', 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available')
      : verdict('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    pressure.disk
      ? verdict('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure')
      : verdict('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    pressure.pid
      ? verdict('PIDPressure', 'True', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available')
      : verdict('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    ...(volumeDisk === undefined
      ? []
      : [
          verdict(VOLUME_DISK_PROBLEM, volumeDisk.hasProblem ? 'True' : 'False', volumeDisk.reason, volumeDisk.message),
        ]),
    message === ''
      ? verdict('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status')
      : verdict('Ready', 'False', 'KubeletNotReady', message),
  ];
}

function verdict(type: string, status: 'True' | 'False', reason: string, message: string): Verdict {
  return { type, status, reason, message };
}
