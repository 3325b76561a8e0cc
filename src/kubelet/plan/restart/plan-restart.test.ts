import { describe, expect, it } from 'vitest';
import { HEALING_STATE, parseHealingState, type RestartRequest } from '../../../api/index.ts';
import { WALL } from '../plan.fixtures.ts';
import { RestartModel, steps } from './restart-model.fixtures.ts';

const POD: RestartRequest = { id: 'r1', scope: 'pod', by: 'alice', reason: 'config changed' };
const ALL: RestartRequest = { id: 'r1', scope: 'containers' };
const ONE: RestartRequest = { id: 'r1', scope: 'container', container: 'main' };
const FIRST = ['init 0', 'side 0', 'main 0', 'other 0'];
const END = ['stop main', 'stop other', 'stop side'];

function running(spec = {}): RestartModel {
  const model = new RestartModel(spec).settle().advance(1000);
  expect(model.running()).toEqual(FIRST.slice(1));
  return model;
}

function restarted(model: RestartModel): readonly string[] {
  const mark = model.log.length;
  model.settle();
  return steps(model.since(mark));
}

function conditionOf(model: RestartModel) {
  return model.plan?.status.conditions?.find(({ type }) => type === 'mendlet.dev/Restarting');
}

describe('scope pod', () => {
  it('ends all in order, makes what they shared fresh, and begins anew with the init containers', () => {
    const model = running().ask({ ...POD, emptyDirs: ['scratch'] });
    expect(restarted(model)).toEqual([
      ...END,
      'stop-sandbox',
      'refresh-pod [scratch]',
      'prepare-cgroup',
      'create-sandbox 1',
      'start init 1',
      'start side 1',
      'start main 1',
      'start other 1',
    ]);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    expect(model.memory.note.restart).toBeUndefined();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
    expect(model.events.map(({ reason }) => reason)).toEqual(['PodRestarting', 'PodRestarted']);
    expect(model.events[0]?.message).toBe('Restarting the pod (requested by alice: config changed)');
    expect(restarted(model)).toEqual([]);
  });

  it('stays Running all the time and says that it restarts, whatever its restart policy', () => {
    for (const restartPolicy of ['Always', 'OnFailure', 'Never']) {
      const model = running({ restartPolicy }).ask(POD);
      for (let i = 0; i < 4; i += 1) model.pass();
      expect(model.statusOf('main')?.state).toEqual({
        waiting: { reason: 'RestartingPod', message: 'Restarting the pod (requested by alice: config changed)' },
      });
      expect(conditionOf(model)).toMatchObject({ status: 'True', reason: 'RestartRequested' });
      while (model.pass()) expect(model.plan?.status.phase).toBe('Running');
      expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
      expect(conditionOf(model)).toMatchObject({ status: 'False' });
    }
  });

  it('is no crash: nobody waits, and no curve grows', () => {
    const model = running();
    for (const id of ['a', 'b', 'c', 'd']) model.ask({ ...POD, id }).settle();
    expect(model.running()).toEqual(['side 4', 'main 4', 'other 4']);
    expect(model.memory.note.containers.main?.backOff).toBeUndefined();
    model.exit('main', 1).settle();
    expect(model.running()).toContain('main 5');
  });

  it('leaves a crash its back-off, and waits for it', () => {
    const model = running().exit('main', 1).settle().advance(1000).exit('main', 1);
    model.settle();
    expect(model.statusOf('main')?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    model.ask({ ...POD, gracePeriodSeconds: 0 }).settle();
    expect(model.running()).toEqual(['side 1', 'other 1']);
    expect(model.statusOf('main')?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    expect(model.outcome('r1')?.phase).toBe('Running');
    model.advance(10_000).settle();
    expect(model.running()).toContain('main 2');
    expect(model.outcome('r1')?.phase).toBe('Succeeded');
    expect(model.memory.note.containers.main?.backOff?.delayMs).toBe(20_000);
  });

  it('goes past back-offs by force, and their curves begin anew', () => {
    const model = running().exit('main', 1).settle().advance(1000).exit('main', 1);
    model.settle();
    model.ask({ ...POD, force: true }).settle();
    expect(model.running()).toContain('main 2');
    expect(model.memory.note.containers.main?.backOff).toBeUndefined();
    expect(model.exit('main', 1).settle().running()).toContain('main 3');
    model.exit('main', 1).settle();
    expect(model.statusOf('main')?.state?.waiting?.message).toContain('back-off 10s');
  });

  it('restarts a pod whose sandbox is broken, without telling of that', () => {
    const model = running();
    model.breakSandboxes();
    model.ask(POD);
    model.settle();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
    expect(model.events.map(({ reason }) => reason)).toEqual(['PodRestarting', 'PodRestarted']);
  });

  it('tries again what fails, and nothing is begun before', () => {
    const model = running().ask(POD);
    while (!model.log.at(-1)?.startsWith('stop-sandbox')) model.pass();
    model.failNext = true;
    model.pass();
    expect(model.log.at(-1)).toBe('refresh-pod [] fails');
    model.pass();
    expect(model.running()).toEqual([]);
    model.advance(1000).settle();
    expect(model.log.filter((text) => text.startsWith('refresh-pod'))).toHaveLength(2);
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
  });

  it('takes ephemeral containers with it, and does not start them again', () => {
    const model = running();
    const spec = { ...model.pod.spec, containers: model.pod.spec?.containers ?? [] };
    model.pod = { ...model.pod, spec: { ...spec, ephemeralContainers: [{ name: 'debug', image: 'd' }] } };
    model.settle();
    expect(model.running()).toContain('debug 0');
    model.ask(POD).settle();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
  });
});

describe('scope containers', () => {
  it('ends all in order and begins anew in the same sandbox', () => {
    const model = running().ask(ALL);
    expect(restarted(model)).toEqual([...END, 'start init 1', 'start side 1', 'start main 1', 'start other 1']);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
  });

  it('leaves ephemeral containers alone', () => {
    const model = running();
    const spec = { ...model.pod.spec, containers: model.pod.spec?.containers ?? [] };
    model.pod = { ...model.pod, spec: { ...spec, ephemeralContainers: [{ name: 'debug', image: 'd' }] } };
    model.settle();
    model.ask(ALL).settle();
    expect(model.running()).toEqual(['debug 0', 'side 1', 'main 1', 'other 1']);
  });

  it('starts those again that had ended for good', () => {
    const model = running({ restartPolicy: 'Never' }).exit('other', 0).settle().ask(ALL);
    model.settle();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
  });

  it('takes over from a restart of all that an exit asked for', () => {
    const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const containers = [
      { name: 'main', image: 'm', restartPolicy: 'Never', restartPolicyRules: rules },
      { name: 'other', image: 'o' },
    ];
    const model = running({ containers }).exit('main', 42);
    model.pass();
    expect(model.memory.note.restartAll).toBeDefined();
    model.ask(ALL).settle();
    expect(model.memory.note.restartAll).toBeUndefined();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
  });
});

describe('scope container', () => {
  it('restarts that one alone, whatever its policy', () => {
    for (const restartPolicy of ['Always', 'OnFailure', 'Never']) {
      const model = running({ restartPolicy }).ask(ONE);
      expect(restarted(model)).toEqual(['stop main', 'start main 1']);
      expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
      expect(model.plan?.status.phase).toBe('Running');
    }
  });

  it('restarts a sidecar', () => {
    expect(restarted(running().ask({ ...ONE, container: 'side' }))).toEqual(['stop side', 'start side 1']);
  });

  it('waits for the end of a back-off', () => {
    const model = running().exit('main', 1).settle().exit('main', 1).settle().ask(ONE);
    expect(restarted(model)).toEqual([]);
    expect(model.outcome('r1')?.phase).toBe('Running');
    model.advance(10_000).settle();
    expect(model.outcome('r1')?.phase).toBe('Succeeded');
    expect(model.running()).toContain('main 2');
  });

  it('goes past it by force', () => {
    const model = running().exit('main', 1).settle().exit('main', 1).settle();
    expect(restarted(model.ask({ ...ONE, force: true }))).toEqual(['start main 2']);
    expect(model.outcome('r1')?.phase).toBe('Succeeded');
  });

  it.each([
    ['Never', 0],
    ['Never', 1],
    ['OnFailure', 0],
  ])('starts one again that ended for good: %s, exit %d', (restartPolicy, code) => {
    const model = running({ restartPolicy }).exit('main', code).settle();
    expect(restarted(model.ask(ONE))).toEqual(['start main 1']);
    expect(model.outcome('r1')?.phase).toBe('Succeeded');
  });

  it.each([
    ['nobody', 'The pod has no container nobody'],
    ['init', 'Container init is an init container: restart all containers instead'],
  ])('refuses %s', (container, message) => {
    const model = running().ask({ ...ONE, container });
    expect(restarted(model)).toEqual([]);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Failed', reason: 'Refused', message });
  });
});

describe('a request', () => {
  it('is done once', () => {
    const model = running().ask(POD).settle();
    model.killAgent();
    expect(steps(model.since(model.log.length))).toEqual([]);
    model.ask(POD).settle();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
  });

  it.each(['container', 'containers', 'pod'] as const)('leaves alone what started since notBefore: %s', (scope) => {
    const container = scope === 'container' ? { container: 'main' } : {};
    const at = (offset: number) => new Date(WALL + offset).toISOString();
    const model = running();
    expect(restarted(model.ask({ id: 'a', scope, notBefore: at(0), ...container }))).toEqual([]);
    expect(model.outcome('a')).toMatchObject({ phase: 'Succeeded', reason: 'NotNeeded' });
    expect(restarted(model.ask({ id: 'b', scope, notBefore: at(500), ...container }))).not.toEqual([]);
    expect(model.outcome('b')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    expect(restarted(model.ask({ id: 'c', scope, notBefore: at(500), ...container }))).toEqual([]);
  });

  it('for a time to come waits for it, once more after a restart of the agent', () => {
    const model = running();
    model.ask({ ...ALL, notBefore: new Date(model.wall + 60_000).toISOString() });
    expect(restarted(model)).toEqual([]);
    expect((model.plan?.wakeAt ?? 0) - model.mono).toBe(60_000);
    model.advance(30_000).killAgent();
    expect(restarted(model)).not.toContain('stop main');
    model.wall += 3_600_000;
    expect(restarted(model)).toEqual([]);
    expect(restarted(model.advance(30_000))).toContain('start main 1');
  });

  it('takes over from one of the same or a smaller scope', () => {
    const model = running().ask(ALL);
    model.pass();
    model.ask({ ...POD, id: 'r2' }).settle();
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Superseded' });
    expect(model.outcome('r2')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
    expect(model.sandboxes.filter(({ state }) => state === 'ready').map(({ id }) => id)).toEqual(['sandbox-1']);
  });

  it('for another container leaves the one before to be started again, as no crash', () => {
    const model = running().exit('main', 1).settle().ask(ONE);
    model.pass();
    model.ask({ ...ONE, id: 'r2', container: 'other' }).settle();
    expect(model.outcome('r1')).toMatchObject({ reason: 'Superseded' });
    expect(model.running()).toEqual(['side 0', 'main 2', 'other 1']);
  });

  it('that is done is not done again when the note is lost', () => {
    const model = running().ask(POD).settle();
    const { annotations = {} } = model.plan ?? {};
    const metadata = { ...model.pod.metadata, annotations: { ...model.pod.metadata?.annotations, ...annotations } };
    model.pod = { ...model.pod, metadata: metadata as typeof model.pod.metadata & object };
    model.loseNote();
    expect(restarted(model)).toEqual([]);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
  });

  it('and what it restarts besides the sick counts as no failure', () => {
    const model = running({ restartPolicy: 'OnFailure' });
    const told = () => parseHealingState(model.plan?.annotations[HEALING_STATE])?.cleanRestarts;
    model.exit('main', 1).settle();
    expect(told()).toBeUndefined();
    model.ask(ONE).settle();
    expect(told()).toBe(1);
    // Its back-off is another one's end: main has failed by itself, the three others have not.
    model.exit('main', 1);
    for (const force of [false, true]) {
      const before = told() ?? 0;
      model.exit('main', 1).ask({ ...POD, id: `all-${force}`, force });
      model.settle().advance(600_000).settle();
      expect(model.outcome(`all-${force}`)?.phase).toBe('Succeeded');
      expect(told()).toBe(before + 3);
    }
    const counts = [
      ...(model.plan?.status.initContainerStatuses ?? []),
      ...(model.plan?.status.containerStatuses ?? []),
    ];
    expect(counts.reduce((sum, { restartCount }) => sum + restartCount, 0)).toBe(1 + 1 + 4 + 4);
    model.killAgent();
    model.settle();
    expect(told()).toBe(7);
  });

  it('waits for one of a wider scope', () => {
    const model = running().ask(POD);
    model.pass();
    model.ask({ ...ONE, id: 'r2' }).settle();
    expect(model.outcome('r1')).toMatchObject({ reason: 'Restarted' });
    expect(model.outcome('r2')).toMatchObject({ reason: 'Restarted' });
    expect(model.running()).toEqual(['side 1', 'other 1', 'main 2']);
  });

  it('of another container takes over from one that waits, and says that this goes on', () => {
    const model = running();
    model.images.main = { state: 'failed', reason: 'ImagePullBackOff', message: '', retryAt: model.mono + 1e5 };
    model.ask(ONE).settle();
    model.ask({ ...ONE, id: 'r2', container: 'other' }).settle();
    expect(model.running()).toEqual(['side 0', 'other 1']);
    expect(model.outcome('r1')).toMatchObject({
      phase: 'Succeeded',
      reason: 'Superseded',
      message: 'another restart was asked for; container main starts again as soon as it can',
    });
    expect(model.outcome('r2')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    delete model.images.main;
    expect(model.settle().running()).toContain('main 1');
  });

  it('shortens a kill that goes on', () => {
    const model = running().ask({ ...ONE, gracePeriodSeconds: 600 });
    const before = model.containers.map((each) => ({ ...each }));
    model.pass();
    // The kill is not heard.
    model.containers = before;
    model.ask({ ...ONE, id: 'r2', gracePeriodSeconds: 0 });
    const at = model.mono;
    model.pass();
    expect(model.mono).toBe(at);
    expect(model.since(model.log.length - 1)).toEqual(['stop main']);
  });

  it('is refused by a pod that has ended or ends', () => {
    const model = running({ restartPolicy: 'Never' }).exit('main', 0).exit('other', 0);
    model.settle();
    expect(model.plan?.status.phase).toBe('Succeeded');
    const mark = model.log.length;
    model.ask(POD).settle();
    expect(model.since(mark)).toEqual([]);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Failed', reason: 'PodFinished' });
    expect(model.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'PodRestartFailed' });
    expect(model.plan?.annotations['mendlet.dev/healing']).toContain('PodFinished');
  });

  it('ends with its pod', () => {
    const model = running().ask(POD);
    model.pass();
    const { metadata } = model.pod;
    const deletion = { deletionTimestamp: '2026-11-20T12:00:00Z', deletionGracePeriodSeconds: 30 };
    model.pod = { ...model.pod, metadata: { ...metadata, ...deletion } };
    model.settle();
    expect(model.running()).toEqual([]);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Failed', reason: 'PodFinished' });
    expect(model.lifecycle.state).toBe('terminated');
  });

  it('is not needed where nothing has started', () => {
    const model = new RestartModel().ask(POD);
    model.settle();
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'NotNeeded' });
    expect(model.running()).toEqual(['side 0', 'main 0', 'other 0']);
  });

  it('by force tries again at once what has not started for its image', () => {
    const model = new RestartModel();
    const retryAt = model.mono + 100_000;
    model.images.init = { state: 'failed', reason: 'ImagePullBackOff', message: 'not found', retryAt };
    model.settle();
    expect(model.log).not.toContain('request-image init afresh');
    model.ask({ ...POD, force: true });
    while (!model.log.includes('request-image init afresh')) expect(model.pass()).toBe(true);
    model.pass();
    expect(model.log.filter((text) => text.startsWith('request-image'))).toHaveLength(1);
    expect(model.outcome('r1')?.phase).toBe('Running');
    delete model.images.init;
    model.settle();
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    expect(model.running()).toHaveLength(3);
  });

  it('by force does not wait for a wider one that waits for something to start', () => {
    const model = running();
    model.images.main = {
      state: 'failed',
      reason: 'ImagePullBackOff',
      message: 'not found',
      retryAt: model.mono + 1e5,
    };
    model.ask(POD).settle();
    expect(model.running()).toEqual(['side 1', 'other 1']);
    model.ask({ ...ONE, id: 'r2', container: 'other' }).settle();
    expect(model.running()).toEqual(['side 1', 'other 1']);
    expect(model.outcome('r2')).toMatchObject({
      phase: 'Pending',
      reason: 'OneAtATime',
      message: 'The restart of container other waits until that of the pod (r1) is over; one with force would not',
    });
    model.ask({ ...ONE, id: 'r3', container: 'other', force: true }).settle();
    expect(model.running()).toEqual(['side 1', 'other 2']);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded', reason: 'Superseded' });
    expect(model.outcome('r3')).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    delete model.images.main;
    expect(model.settle().running()).toContain('main 1');
  });

  it('is quoted in part where its reason is long', () => {
    const model = running().ask({ ...ONE, by: 'alice', reason: `first\nand ${'ы'.repeat(1000)}` });
    model.settle();
    expect(model.events[0]?.message).toBe(
      `Restarting container main (requested by alice: first and ${'ы'.repeat(189)}…)`,
    );
    for (const { message } of model.events) expect(message.length).toBeLessThan(300);
    expect(model.outcome('r1')?.message?.length).toBeLessThan(300);
  });

  it('for an emptyDir that is not there is refused', () => {
    const model = running().ask({ ...POD, emptyDirs: ['scratch', 'nothing'] });
    expect(restarted(model)).toEqual([]);
    expect(model.outcome('r1')).toMatchObject({ reason: 'Refused', message: 'The pod has no emptyDir named nothing' });
  });

  it('that cannot be read is told once, and may be put right', () => {
    const model = running().annotate('{"id":"r1","scope":"planet"}').settle();
    model.settle();
    expect(model.events.map(({ reason }) => reason)).toEqual(['InvalidRestartRequest']);
    expect(model.outcome('r1')).toMatchObject({ phase: 'Failed', reason: 'InvalidRestartRequest' });
    model.annotate('restart please').settle();
    model.settle();
    expect(model.events.map(({ reason }) => reason)).toEqual(['InvalidRestartRequest', 'InvalidRestartRequest']);
    expect(restarted(model.ask(ALL))).toContain('start main 1');
  });
});

describe('where others serve its clients', () => {
  const readyOf = (model: RestartModel) => model.plan?.status.conditions?.find(({ type }) => type === 'Ready');

  it.each([POD, ALL, ONE])('they go there before the signal: scope $scope', (request) => {
    const model = running();
    model.routing = { canLeave: () => true, withdrawal: 'needless' };
    const mark = model.log.length;
    model.ask(request).pass();
    expect(model.since(mark)).toEqual([]);
    expect(readyOf(model)).toMatchObject({ status: 'False', reason: 'PodRestarting' });
    expect(model.plan?.wakeAt).toBe(model.mono + 2000);
    // Meanwhile routing has heard of it, and others have seen it a little later.
    model.routing = { canLeave: () => false, withdrawal: { agreedAt: undefined } };
    model.advance(50).pass();
    expect(model.since(mark)).toEqual([]);
    model.routing = { ...model.routing, withdrawal: { agreedAt: model.mono } };
    model.advance(100).pass();
    expect(model.plan?.wakeAt).toBe(model.mono + 200);
    expect([model.since(mark), readyOf(model)?.status]).toEqual([[], 'False']);
    model.advance(200).settle();
    expect(model.running()).toContain('main 1');
    expect(model.outcome('r1')).toMatchObject({ phase: 'Succeeded' });
    expect(readyOf(model)).toMatchObject({ status: 'True' });
  });

  it('a new agent goes on with the wait, and the wait counts within the grace', () => {
    const model = running();
    model.routing = { canLeave: () => true, withdrawal: 'needless' };
    model.ask({ ...ALL, gracePeriodSeconds: 10 }).pass();
    expect(model.plan?.wakeAt).toBe(model.mono + 1000);
    model.routing = { withdrawal: { agreedAt: undefined } };
    model.killAgent();
    model.advance(400).pass();
    expect(model.running()).toEqual(FIRST.slice(1));
    model.advance(600).settle();
    expect(model.running()).toEqual(['side 1', 'main 1', 'other 1']);
  });

  it('nobody waits for a pod that serves alone, or whose traffic nobody knows', () => {
    for (const routing of [{ canLeave: () => false, withdrawal: 'needless' as const }, {}]) {
      const model = running();
      model.routing = routing;
      model.ask(ALL).pass();
      expect(model.running()).not.toContain('main 0');
    }
  });
});
