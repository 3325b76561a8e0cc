/**
 * One attempt of a probe. It ends in success or failure, which count, or in error, which never counts: the runtime was away,
 * the port has no such name, or our own loop was late and nobody knows what the container did.
 */
import type { Container, Probe } from '../../api/index.ts';
import { RuntimeError, type RuntimeService } from '../../cri/index.ts';
import { type Clock, errorMessage, withDeadline } from '../../lib/index.ts';
import { formatDuration } from '../go-format.ts';
import type { ProbeAttempt, ProbeTransport } from '../ports.ts';
import { ATTEMPT_OVERRUN_MS, DEFAULT_TIMEOUT_SECONDS, LATE_TOLERANCE_MS, MAX_PROBE_TRIES } from './limits.ts';
import { probeCommand } from './probe-command.ts';
import { httpTarget, probeUserAgent, resolvePort } from './probe-target.ts';

export interface AttemptPorts {
  readonly clock: Clock;
  readonly runtime: Pick<RuntimeService, 'execSync'>;
  readonly transport: ProbeTransport;
  readonly version: string;
}

export interface AttemptInput {
  readonly probe: Probe;
  readonly container: Container;
  readonly containerId: string;
  /** `undefined`: the pod has no address yet. */
  readonly podIp: string | undefined;
  readonly signal: AbortSignal;
}

/** Tries again at once after an error, at most three times in all (upstream: maxProbeRetries). */
export async function attemptProbe(ports: AttemptPorts, input: AttemptInput): Promise<ProbeAttempt> {
  let attempt: ProbeAttempt = { result: 'error', output: 'not tried' };
  for (let tries = 0; tries < MAX_PROBE_TRIES && !input.signal.aborted; tries++) {
    attempt = await attemptOnce(ports, input);
    if (attempt.result !== 'error') return attempt;
  }
  return attempt;
}

async function attemptOnce(ports: AttemptPorts, input: AttemptInput): Promise<ProbeAttempt> {
  const { clock } = ports;
  const timeoutMs = (input.probe.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const begun = clock.now().mono;
  let lateMs: number | undefined;
  const timer = clock.setTimer(timeoutMs, (late) => {
    lateMs = late;
  });
  try {
    const deadline = { clock, timeoutMs: timeoutMs + ATTEMPT_OVERRUN_MS, signal: input.signal };
    const ended = await withDeadline(deadline, (signal) => perform(ports, { ...input, signal }, timeoutMs));
    if (ended.kind !== 'done') return { result: 'error', output: 'the attempt did not end after its time-out' };
    // A timer that should have fired and has not: the loop comes from far behind.
    const behindMs = lateMs ?? clock.now().mono - begun - timeoutMs;
    if (ended.value.result === 'failure' && behindMs > LATE_TOLERANCE_MS) {
      return { result: 'error', output: `the agent was away for ${formatDuration(Math.round(behindMs))}` };
    }
    return ended.value;
  } catch (error) {
    return { result: 'error', output: errorMessage(error) };
  } finally {
    timer.cancel();
  }
}

async function perform(ports: AttemptPorts, input: AttemptInput, timeoutMs: number): Promise<ProbeAttempt> {
  const { probe, container, podIp } = input;
  if (probe.exec !== undefined) {
    const written = probe.exec.command ?? [];
    const command = probeCommand(written, container.env);
    return execAttempt(ports.runtime, input, { written, command }, timeoutMs);
  }
  const action = probe.httpGet ?? probe.tcpSocket ?? probe.grpc;
  if (action === undefined) return { result: 'error', output: 'missing probe handler' };
  const port = resolvePort(action.port, container);
  if (port === undefined) return { result: 'error', output: `invalid port: ${String(action.port)}` };
  const host = ('host' in action && action.host) || podIp;
  if (host === undefined) return { result: 'error', output: 'the pod has no IP' };
  if (probe.httpGet !== undefined) {
    return ports.transport.http({ ...httpTarget(probe.httpGet, port, host, ports.version), timeoutMs });
  }
  if (probe.tcpSocket !== undefined) return ports.transport.tcp({ host, port, timeoutMs });
  const userAgent = probeUserAgent(ports.version);
  return ports.transport.grpc({ host, port, service: probe.grpc?.service ?? '', userAgent, timeoutMs });
}

async function execAttempt(
  runtime: Pick<RuntimeService, 'execSync'>,
  input: AttemptInput,
  { written, command }: { readonly written: readonly string[]; readonly command: readonly string[] },
  timeoutMs: number,
): Promise<ProbeAttempt> {
  try {
    const result = await runtime.execSync(input.containerId, command, timeoutMs, { signal: input.signal });
    return { result: result.exitCode === 0 ? 'success' : 'failure', output: `${result.stdout}${result.stderr}` };
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'DeadlineExceeded') {
      const after = formatDuration(timeoutMs);
      // An event tells the command as it is written: a variable may hold a password.
      return { result: 'failure', output: `command timed out: "${written.join(' ')}" timed out after ${after}` };
    }
    throw error;
  }
}
