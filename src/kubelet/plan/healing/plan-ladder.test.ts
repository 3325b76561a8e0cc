/** The ladder on a model of runtime and time: what a pod lives through, and what it tells. */
import { describe, expect, it } from 'vitest';
import {
  HEALING_POLICY,
  HEALING_STATE,
  type HealingPolicySpec,
  MOVE_VERDICT,
  type Pod,
  parseHealingState,
  RECOVERY,
  RESTART_REQUEST,
} from '../../../api/index.ts';
import { noteFromStatus } from '../absorb-observation.ts';
import { EMPTY_VOLATILE, emptyMemory } from '../pod-memory.ts';
import { RestartModel, steps } from '../restart/restart-model.fixtures.ts';

const MINUTE = 60_000;
const CURVE = { initial: '1s', factor: 2, cap: '4s' };
const CLIMB: HealingPolicySpec = {
  rungs: [
    { scope: 'container', attempts: 2, window: '10m' },
    { scope: 'containers', attempts: 1 },
    { scope: 'pod', attempts: 1, emptyDirs: ['scratch'] },
  ],
  backOff: CURVE,
};

function annotate(model: RestartModel, annotations: Readonly<Record<string, string | undefined>>): RestartModel {
  const entries = Object.entries({ ...model.pod.metadata?.annotations, ...annotations });
  const kept = Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  model.pod = { ...model.pod, metadata: { ...model.pod.metadata, annotations: kept } };
  return model;
}

function running(policy: HealingPolicySpec | string = CLIMB, metadata: Pod['metadata'] = {}): RestartModel {
  const model = new RestartModel();
  model.pod = { ...model.pod, metadata: { ...model.pod.metadata, ...metadata } };
  annotate(model, { [HEALING_POLICY]: typeof policy === 'string' ? policy : JSON.stringify(policy) });
  return model.settle();
}

/** It dies, and what comes of it has come; ms that it was away. */
function die(model: RestartModel, name = 'main', exitCode = 1): number {
  const { mono } = model;
  model.exit(name, exitCode).settle();
  for (let i = 0; i < 20 && !isUp(model, name) && model.plan?.wakeAt !== undefined; i += 1) {
    model.advance(model.plan.wakeAt - model.mono).settle();
  }
  return model.mono - mono;
}

function isUp(model: RestartModel, name: string): boolean {
  return model.running().some((text) => text.startsWith(`${name} `));
}

const conditionOf = (model: RestartModel, type: string) =>
  model.plan?.status.conditions?.find((each) => each.type === `mendlet.dev/${type}`);
const stateOf = (model: RestartModel) => parseHealingState(model.plan?.annotations[HEALING_STATE]);
const waitingOf = (model: RestartModel, name = 'main') => model.statusOf(name)?.state?.waiting;
const told = (model: RestartModel, reason: string) =>
  model.events.filter((event) => event.reason === reason).map(({ message }) => message);

describe('a pod that heals by a policy', () => {
  it('climbs from the container to the pod, then stops; each rung waits for the curve', () => {
    const model = running();
    expect(conditionOf(model, 'Healing')).toMatchObject({ status: 'False', reason: 'Well' });
    expect(stateOf(model)).toBeUndefined();

    let mark = model.log.length;
    expect(die(model)).toBe(0);
    expect(steps(model.since(mark))).toEqual(['start main 1']);
    expect(conditionOf(model, 'Healing')).toMatchObject({
      status: 'True',
      reason: 'ContainerRung',
      message: '1 of 2 restarts of the container within 10m0s; last: container main exited with 1',
    });

    expect(die(model)).toBe(1000);
    expect(stateOf(model)).toMatchObject({
      rung: 'container',
      attempts: 2,
      of: 2,
      cause: 'container main exited with 1',
    });

    mark = model.log.length;
    expect(die(model)).toBeGreaterThanOrEqual(2000);
    expect(steps(model.since(mark))).toEqual([
      'stop other',
      'stop side',
      'start init 1',
      'start side 1',
      'start main 3',
      'start other 1',
    ]);
    expect(told(model, 'HealingEscalated')).toEqual([
      'container main died 3 times within 10m0s: restarting all containers (1 of 1)',
    ]);
    expect(conditionOf(model, 'Healing')).toMatchObject({ reason: 'ContainersRung' });

    mark = model.log.length;
    expect(die(model)).toBeGreaterThanOrEqual(4000);
    expect(steps(model.since(mark))).toContain('refresh-pod [scratch]');
    expect(steps(model.since(mark))).toContain('create-sandbox 1');
    expect(told(model, 'HealingEscalated')[1]).toBe(
      'container main died again after 1 restart of all containers: restarting the whole pod (1 of 1)',
    );
    expect(stateOf(model)).toMatchObject({ rung: 'pod', attempts: 1, of: 1, podRestarts: 1 });

    die(model);
    expect(isUp(model, 'main')).toBe(false);
    expect(isUp(model, 'other')).toBe(true);
    expect(waitingOf(model)?.reason).toBe('HealingStopped');
    const message =
      'container main exited with 1; tried restarts: 2 of the container, 1 of all containers, 1 of the whole pod. To go on: mendlet restart pod/web --force';
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({
      status: 'True',
      reason: 'AttemptsExhausted',
      message,
    });
    expect(told(model, 'HealingStopped')).toEqual([message]);
    expect(stateOf(model)).toMatchObject({ rung: 'stopped', podRestarts: 1 });
    mark = model.log.length;
    model.advance(600 * MINUTE).settle();
    expect(steps(model.since(mark))).toEqual([]);
  });

  it('does the same whenever the agent is killed', () => {
    const quiet = running();
    const killed = running();
    for (let i = 0; i < 5; i += 1) {
      die(quiet);
      killed.exit('main', 1);
      for (let pass = 0; pass < 80 && !isUp(killed, 'main') && stateOf(killed)?.rung !== 'stopped'; pass += 1) {
        killed.killAgent();
        if (!killed.pass() && killed.plan?.wakeAt !== undefined) killed.advance(killed.plan.wakeAt - killed.mono);
      }
      killed.settle();
    }
    expect(steps(killed.log).filter((text) => text.startsWith('start'))).toEqual(
      steps(quiet.log).filter((text) => text.startsWith('start')),
    );
    const kept = (model: RestartModel) =>
      model.memory.note.healing?.attempts.map(({ scope, containerId }) => [scope, containerId]);
    expect(kept(killed)).toEqual(kept(quiet));
  });

  it('answers a death once, however often it looks', () => {
    const model = running();
    die(model);
    model.exit('main', 1).settle();
    for (let i = 0; i < 5; i += 1) model.advance(100).settle();
    expect(model.memory.note.healing?.attempts).toHaveLength(2);
    expect(waitingOf(model)).toMatchObject({
      reason: 'CrashLoopBackOff',
      message: expect.stringContaining('back-off 1s restarting failed container=main') as string,
    });
  });

  it('counts each container by itself, and lets one that dies meanwhile wait for the wider restart', () => {
    const model = running();
    die(model, 'other');
    die(model);
    die(model);
    model.exit('main', 1).settle();
    expect(model.memory.note.healing?.rung).toBe('containers');
    model.exit('other', 1).settle();
    expect(waitingOf(model, 'other')).toMatchObject({
      reason: 'CrashLoopBackOff',
      message: 'waits until all containers of the pod are restarted',
    });
    model.advance((model.plan?.wakeAt ?? 0) - model.mono).settle();
    expect(
      model.memory.note.healing?.attempts.filter(
        ({ scope, uncounted }) => scope === 'containers' && uncounted === undefined,
      ),
    ).toHaveLength(1);
    model.advance(MINUTE).settle();
    expect(model.running()).toHaveLength(3);
  });

  it('begins anew when all has been well for long enough; the pod’s restarts stay counted', () => {
    const model = running({ ...CLIMB, rungs: [{ scope: 'pod', attempts: 3 }], resetAfter: '2m' });
    die(model);
    expect(stateOf(model)).toMatchObject({ rung: 'pod', podRestarts: 1 });
    model.advance(2 * MINUTE - 1).settle();
    expect(conditionOf(model, 'Healing')?.status).toBe('True');
    expect(model.plan?.wakeAt).toBe(model.mono + 1);
    model.killAgent();
    model.advance(1).settle();
    expect(conditionOf(model, 'Healing')).toMatchObject({ status: 'False', reason: 'Well' });
    expect(stateOf(model)).toEqual({ podRestarts: 1 });
    expect(told(model, 'HealingReset')).toHaveLength(1);
  });

  it('is not well while a container is away', () => {
    const model = running({ ...CLIMB, resetAfter: '2m', backOff: { initial: '10m', cap: '1h' } });
    die(model);
    model.exit('main', 1).settle();
    model.advance(9 * MINUTE).settle();
    expect(stateOf(model)).toMatchObject({ rung: 'container', attempts: 2 });
  });

  it('stops at the maximum of the pod’s restarts, though others would follow', () => {
    const model = running({ rungs: [{ scope: 'pod', attempts: 50 }], maxPodRestarts: 2, backOff: CURVE });
    for (let i = 0; i < 4; i += 1) die(model);
    expect(stateOf(model)).toMatchObject({ rung: 'stopped', podRestarts: 2 });
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({ reason: 'MaxPodRestarts' });
    expect(conditionOf(model, 'HealingStopped')?.message).toContain(
      'its healing policy allows 2 restarts of the whole pod',
    );
  });

  it('climbs for its init containers, too', () => {
    const model = new RestartModel();
    const rungs = [{ scope: 'container', attempts: 1 } as const, { scope: 'pod', attempts: 1 } as const];
    annotate(model, { [HEALING_POLICY]: JSON.stringify({ rungs, backOff: CURVE }) });
    model.initExitCode = 1;
    for (let i = 0; i < 5; i += 1) model.settle().advance(4000);
    expect(steps(model.log).filter((text) => /init|create/.test(text))).toEqual([
      'create-sandbox 0',
      'start init 0',
      'start init 1',
      'create-sandbox 1',
      'start init 2',
    ]);
    expect(waitingOf(model, 'init')?.reason).toBe('HealingStopped');
    expect(model.memory.note.restart).toBeUndefined();
    model.initExitCode = 0;
    annotate(model, { [RESTART_REQUEST]: JSON.stringify({ id: 'b', scope: 'pod', force: true }) }).settle();
    expect(isUp(model, 'main')).toBe(true);
    expect(conditionOf(model, 'HealingStopped')?.status).not.toBe('True');
  });

  it('is restarted early when what it waited for may be well again', () => {
    const model = running({ rungs: [{ scope: 'pod' }], backOff: { initial: '10m', cap: '10m' } });
    model.exit('main', 1).settle();
    model.advance(MINUTE).settle();
    expect(model.log).not.toContain('create-sandbox 1');
    const at = new Date(model.wall).toISOString();
    annotate(model, { [RECOVERY]: JSON.stringify({ id: 'r', at, cause: 'service/db became ready' }) }).settle();
    expect(model.log).toContain('create-sandbox 1');
    expect(isUp(model, 'main')).toBe(true);
    expect(stateOf(model)?.podRestarts).toBe(1);
  });

  it('leaves alone what Kubernetes would not start again', () => {
    const model = new RestartModel({ restartPolicy: 'OnFailure' });
    annotate(model, { [HEALING_POLICY]: '{}' }).settle();
    die(model, 'main', 0);
    expect(model.memory.note.healing).toBeUndefined();
  });

  it('leaves exits to the rules of the pod itself (KEP-5532)', () => {
    const model = running();
    const { spec } = model.pod;
    const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const containers = (spec?.containers ?? []).map((each) =>
      each.name === 'main' ? { ...each, restartPolicyRules } : each,
    );
    model.pod = { ...model.pod, spec: { ...spec, containers } };
    die(model, 'main', 42);
    expect(model.memory.note.healing).toBeUndefined();
    expect(model.running()).toContain('other 1');
  });
});

describe('curves', () => {
  it('another one after exit code 0', () => {
    const model = running({
      ...CLIMB,
      rungs: [{ scope: 'container', attempts: 50 }],
      backOffAfterSuccess: { initial: '500ms', factor: 1, cap: '500ms' },
    });
    expect([1, 0, 0, 1, 1].map((code) => die(model, 'main', code))).toEqual([0, 500, 500, 4000, 4000]);
  });

  it('by a rule of their own', () => {
    const rules: HealingPolicySpec['rules'] = [
      { onExitCodes: { operator: 'In', values: [9] }, backOff: { initial: '30s', cap: '30s' } },
    ];
    const model = running({ ...CLIMB, rungs: [{ scope: 'container', attempts: 50 }], rules });
    expect([9, 9, 1].map((code) => die(model, 'main', code))).toEqual([0, 30_000, 2000]);
  });

  it('Kubernetes’ own where the policy has none', () => {
    const model = running('{}');
    expect([1, 1, 1].map((code) => die(model, 'main', code))).toEqual([0, 10_000, 20_000]);
  });

  it('survive the loss of the note: they are written on the container', () => {
    const model = running({ ...CLIMB, rungs: [{ scope: 'container', attempts: 50 }] });
    for (let i = 0; i < 3; i += 1) die(model);
    const { note } = emptyMemory('default', 'web');
    model.memory = { note: { ...note, admitted: true }, volatile: EMPTY_VOLATILE };
    expect(die(model)).toBe(4000);
  });
});

describe('a rule that stops', () => {
  const policy: HealingPolicySpec = {
    ...CLIMB,
    rungs: [{ scope: 'pod' }],
    rules: [{ onExitCodes: { operator: 'In', values: [78] }, action: 'Stop' }],
  };

  it('stops that container alone, also while the pod is restarted for another', () => {
    const model = running(policy);
    die(model, 'main', 78);
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({ status: 'True', reason: 'RuleStop' });
    // It stands on no rung of its policy.
    expect(conditionOf(model, 'Healing')).toMatchObject({
      status: 'True',
      reason: 'Stopped',
      message: 'nothing was tried; last: container main exited with 78',
    });
    die(model, 'other');
    expect(conditionOf(model, 'Healing')).toMatchObject({ reason: 'PodRung' });
    expect(model.log).toContain('create-sandbox 1');
    expect(model.running().map((text) => text.split(' ')[0])).toEqual(['side', 'other']);
    expect(waitingOf(model)?.reason).toBe('HealingStopped');
    expect(model.memory.note.restart).toBeUndefined();
  });

  it('does not take back the end of the ladder, nor what is said of another container', () => {
    const rungs = [{ scope: 'container', attempts: 1, window: '5s' }] as const;
    const model = running({ ...policy, rungs: [...rungs] });
    for (let i = 0; i < 2; i += 1) die(model, 'main', 7);
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({ reason: 'AttemptsExhausted' });
    die(model, 'other', 78);
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({ status: 'True', reason: 'AttemptsExhausted' });
    expect(waitingOf(model, 'main')?.message).toContain('container main exited with 7');
    expect(waitingOf(model, 'other')?.message).toContain('a rule of its healing policy');
    die(model.advance(MINUTE), 'side', 1);
    expect(waitingOf(model, 'side')?.reason).toBe('HealingStopped');
    model.killAgent();
    model.settle();
    expect(waitingOf(model, 'other')?.message).toContain('container other exited with 78');
  });

  it('until the container changes', () => {
    const model = running(policy);
    die(model, 'main', 78);
    const { spec } = model.pod;
    const containers = (spec?.containers ?? []).map((each) =>
      each.name === 'main' ? { ...each, image: 'new' } : each,
    );
    model.pod = { ...model.pod, spec: { ...spec, containers } };
    model.settle();
    expect(isUp(model, 'main')).toBe(true);
    expect(stateOf(model)).toBeUndefined();
    expect(conditionOf(model, 'Healing')?.status).toBe('False');
  });

  it('until somebody restarts it by force, and not without', () => {
    const model = running(policy);
    die(model, 'main', 78);
    annotate(model, { [RESTART_REQUEST]: JSON.stringify({ id: 'a', scope: 'pod' }) }).settle();
    expect(model.outcome('a')).toMatchObject({ phase: 'Failed', reason: 'Refused' });
    annotate(model, { [RESTART_REQUEST]: JSON.stringify({ id: 'b', scope: 'pod', force: true }) }).settle();
    expect(model.outcome('b')).toMatchObject({ phase: 'Succeeded' });
    expect(isUp(model, 'main')).toBe(true);
    expect(conditionOf(model, 'Healing')).toMatchObject({ status: 'False', reason: 'Well' });
  });
});

it('force for another container is none for the one that is stopped', () => {
  const model = running({ rungs: [{ scope: 'container', attempts: 1 }], backOff: CURVE });
  die(model);
  die(model);
  const other = { id: 'c', scope: 'container', container: 'other', force: true };
  annotate(model, { [RESTART_REQUEST]: JSON.stringify(other) }).settle();
  expect(model.outcome('c')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
  expect(model.running()).toContain('other 1');
  model.advance(MINUTE).settle();
  expect(isUp(model, 'main')).toBe(false);
  expect(conditionOf(model, 'HealingStopped')).toMatchObject({ status: 'True', reason: 'AttemptsExhausted' });
});

describe('the policy', () => {
  it('that changes begins anew, with the pod’s restarts counted', () => {
    const model = running({ ...CLIMB, rungs: [{ scope: 'pod', attempts: 1 }] });
    die(model);
    die(model);
    expect(stateOf(model)?.rung).toBe('stopped');
    annotate(model, {
      [HEALING_POLICY]: JSON.stringify({ ...CLIMB, rungs: [{ scope: 'pod', attempts: 2 }] }),
    }).settle();
    model.advance(MINUTE).settle();
    expect(isUp(model, 'main')).toBe(true);
    expect(stateOf(model)).toMatchObject({ rung: 'pod', podRestarts: 2 });
  });

  it('that goes leaves the pod to Kubernetes', () => {
    const model = running({ ...CLIMB, rungs: [{ scope: 'container', attempts: 1 }] });
    die(model);
    die(model);
    expect(stateOf(model)?.rung).toBe('stopped');
    annotate(model, { [HEALING_POLICY]: undefined }).settle();
    expect(isUp(model, 'main')).toBe(true);
    expect(model.memory.note.healing).toBeUndefined();
    expect(conditionOf(model, 'Healing')).toBeUndefined();
    expect([1, 1].map((code) => die(model, 'main', code))).toEqual([10_000, 20_000]);
  });

  it('that goes and comes back finds the pod’s restarts counted, whatever was lost meanwhile', () => {
    const policy = { rungs: [{ scope: 'pod', attempts: 50 }], maxPodRestarts: 2, backOff: CURVE } as const;
    const text = JSON.stringify(policy);
    for (const lose of [false, true]) {
      const model = running(text);
      die(model);
      die(model);
      annotate(model, { [HEALING_POLICY]: undefined }).settle();
      expect(stateOf(model)).toEqual({ podRestarts: 2 });
      expect(conditionOf(model, 'Healing')).toBeUndefined();
      if (lose) {
        annotate(model, { [HEALING_STATE]: model.plan?.annotations[HEALING_STATE] ?? '' });
        model.loseNote();
        model.settle();
      }
      annotate(model, { [HEALING_POLICY]: text }).settle();
      die(model);
      expect(conditionOf(model, 'HealingStopped')).toMatchObject({ status: 'True', reason: 'MaxPodRestarts' });
    }
  });

  it('that cannot be used is told once, and the pod heals as without', () => {
    const model = running('rungs: nonsense');
    expect(conditionOf(model, 'Healing')).toMatchObject({ status: 'Unknown', reason: 'InvalidPolicy' });
    expect(stateOf(model)?.problem).toMatch(/^rungs: /);
    expect([1, 1, 1].map((code) => die(model, 'main', code))).toEqual([0, 10_000, 20_000]);
    expect(told(model, 'InvalidHealingPolicy')).toHaveLength(1);
  });
});

describe('another node', () => {
  const policy: HealingPolicySpec = { ...CLIMB, rungs: [{ scope: 'pod', attempts: 1 }, { scope: 'node' }] };
  const owner = (kind: string) => ({
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'o', uid: 'o', controller: true }],
  });

  function waiting(): RestartModel {
    const model = running(policy, owner('ReplicaSet'));
    die(model);
    model.exit('main', 1).settle();
    return model;
  }

  it('is asked for, and waited for', () => {
    const model = waiting();
    expect(waitingOf(model)?.reason).toBe('WaitingForMove');
    expect(conditionOf(model, 'MoveRequested')).toMatchObject({ status: 'True' });
    expect(conditionOf(model, 'Healing')).toMatchObject({ reason: 'NodeRung' });
    expect(stateOf(model)?.move).toMatchObject({ cause: 'container main exited with 1' });
    expect(model.plan?.wakeAt).toBe(model.mono + 5 * MINUTE);
  });

  it('until somebody says that there is none', () => {
    const model = waiting();
    const { id = '' } = stateOf(model)?.move ?? {};
    annotate(model, { [MOVE_VERDICT]: JSON.stringify({ id: 'another', action: 'stop', message: 'no' }) }).settle();
    expect(waitingOf(model)?.reason).toBe('WaitingForMove');
    annotate(model, { [MOVE_VERDICT]: JSON.stringify({ id, action: 'stop', message: 'no other node fits' }) }).settle();
    expect(waitingOf(model)?.reason).toBe('HealingStopped');
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({ status: 'True', reason: 'NoOtherNode' });
    expect(conditionOf(model, 'HealingStopped')?.message).toContain('no other node fits');
    expect(stateOf(model)?.move).toBeUndefined();
    // It asks no more, and all is told once.
    const { note } = model.memory;
    for (let i = 0; i < 4; i += 1) {
      model.pass();
      expect(model.memory.note).toEqual(note);
      expect(conditionOf(model, 'MoveRequested')?.status).not.toBe('True');
    }
    expect(model.events.filter(({ reason }) => reason === 'HealingStopped')).toHaveLength(1);
  });

  it('but not for ever: without an answer it goes on here, and asks again', () => {
    const model = waiting();
    model.advance(5 * MINUTE - 1).settle();
    expect(isUp(model, 'main')).toBe(false);
    model.advance(1).settle();
    expect(isUp(model, 'main')).toBe(true);
    expect(told(model, 'MoveUnanswered')).toEqual([
      'Nobody has moved the pod to another node for 5m0s: restarting the whole pod',
    ]);
    expect(stateOf(model)).toMatchObject({ rung: 'node', podRestarts: 2 });
    const first = model.memory.note.healing?.attempts[0]?.containerId;
    model.exit('main', 1).settle();
    expect(waitingOf(model)?.reason).toBe('WaitingForMove');
    expect(stateOf(model)?.move?.id).not.toBe(first);
  });

  it.each(['DaemonSet', 'Node'])('is nothing for the pods of a %s', (kind) => {
    const model = running(policy, owner(kind));
    die(model);
    die(model);
    expect(conditionOf(model, 'HealingStopped')).toMatchObject({ reason: 'AttemptsExhausted' });
    expect(conditionOf(model, 'HealingStopped')?.message).toContain('no controller would make the pod anew');
  });
});

describe('a reboot', () => {
  it('is no death of the pod’s own', () => {
    const model = running();
    model.exit('main', 255, 'Unknown').settle();
    expect(stateOf(model)?.rung).toBeUndefined();
    expect(isUp(model, 'main')).toBe(true);
    die(model, 'main', 255);
    expect(stateOf(model)).toMatchObject({ rung: 'container', attempts: 1 });
  });
});

describe('a sandbox that is killed', () => {
  it('is no death of the containers in it', () => {
    const model = running();
    model.breakSandboxes();
    model.exit('main', 255).settle();
    expect(isUp(model, 'main')).toBe(true);
    expect(stateOf(model)?.rung).toBeUndefined();
  });
});

describe('an agent that has lost its note', () => {
  /** As the server has the pod, whose containers are gone with the data folder, or still there. */
  function lose(model: RestartModel): RestartModel {
    const annotations = Object.fromEntries(
      Object.entries({ ...model.pod.metadata?.annotations, ...model.plan?.annotations }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const { status } = model.plan ?? {};
    model.pod = {
      ...model.pod,
      metadata: { ...model.pod.metadata, annotations },
      ...(status === undefined ? {} : { status }),
    };
    model.memory = { note: noteFromStatus(emptyMemory('default', 'web').note, model.pod), volatile: EMPTY_VOLATILE };
    return model;
  }

  it('goes on at the rung where the pod says that it was', () => {
    const model = running();
    for (let i = 0; i < 4; i += 1) die(model);
    expect(stateOf(model)).toMatchObject({ rung: 'pod', attempts: 1 });
    const before = stateOf(model);
    lose(model).settle();
    expect(stateOf(model)).toEqual(before);
    die(model);
    expect(stateOf(model)).toMatchObject({ rung: 'stopped', podRestarts: 1 });
  });

  it('does not answer again what waits, and lets nobody wait for ever', () => {
    const model = running();
    for (let i = 0; i < 2; i += 1) die(model);
    model.exit('main', 1).settle();
    expect(stateOf(model)).toMatchObject({ rung: 'containers', attempts: 1 });
    lose(model).settle();
    expect(stateOf(model)).toMatchObject({ rung: 'containers', attempts: 1 });
    model.advance(MINUTE).settle();
    expect(isUp(model, 'main')).toBe(true);
  });

  it('keeps stopped what was', () => {
    const model = running({ ...CLIMB, rungs: [{ scope: 'container', attempts: 1 }] });
    die(model);
    die(model);
    const told = conditionOf(model, 'HealingStopped');
    lose(model).settle();
    expect(isUp(model, 'main')).toBe(false);
    expect(conditionOf(model, 'HealingStopped')).toEqual(told);
  });
});
