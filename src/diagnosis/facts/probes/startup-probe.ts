/** Suggests a startup probe as YAML: it asks the same as the failing probe, and leaves enough time. */
import type { Probe } from '../../evidence/kinds.ts';
import type { StartTime } from './start-time.ts';

const MIN_BUDGET_SECONDS = 60;
/** Factors between a known start time and the suggested budget; a start that never succeeded needs a larger one. */
const MEASURED_FACTOR = 2;
const UNKNOWN_FACTOR = 10;
const MAX_BUDGET_SECONDS = 1800;

export function startupProbeFor(container: string, probe: Probe, start: StartTime | undefined): string {
  const factor = start?.measured === true ? MEASURED_FACTOR : UNKNOWN_FACTOR;
  const wanted = Math.ceil(((start?.ms ?? 0) / 1000) * factor);
  const budget = Math.min(MAX_BUDGET_SECONDS, Math.max(MIN_BUDGET_SECONDS, wanted));
  const periodSeconds = budget > 120 ? 5 : 2;
  const failureThreshold = Math.ceil(budget / periodSeconds);
  const timeout = probe.timeoutSeconds ?? 1;
  const lines = [
    'containers:',
    `- name: ${container}`,
    '  startupProbe:',
    ...handler(probe).map((line) => `    ${line}`),
    `    periodSeconds: ${periodSeconds}`,
    ...(timeout === 1 ? [] : [`    timeoutSeconds: ${timeout}`]),
    `    failureThreshold: ${failureThreshold}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Values that YAML could misread are quoted as JSON, which is YAML. */
function handler({ httpGet, tcpSocket, grpc, exec }: Probe): readonly string[] {
  if (httpGet !== undefined) {
    const { path = '/', port, scheme, host } = httpGet;
    return [
      'httpGet:',
      `  path: ${scalar(path)}`,
      `  port: ${scalar(port)}`,
      ...(scheme === undefined || scheme === 'HTTP' ? [] : [`  scheme: ${scheme}`]),
      ...(host === undefined || host === '' ? [] : [`  host: ${scalar(host)}`]),
    ];
  }
  if (tcpSocket !== undefined) return ['tcpSocket:', `  port: ${scalar(tcpSocket.port)}`];
  if (grpc !== undefined) return ['grpc:', `  port: ${grpc.port}`];
  return ['exec:', `  command: ${JSON.stringify(exec?.command ?? [])}`];
}

function scalar(value: string | number): string {
  if (typeof value === 'number') return String(value);
  return /^[A-Za-z/][\w./-]*$/.test(value) ? value : JSON.stringify(value);
}
