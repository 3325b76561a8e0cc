/** Defaults of containers and probes (upstream `SetDefaults_Container`, `SetDefaults_Probe`). They fill a draft in place. */
import type { Container, EphemeralContainer, LifecycleHandler, Probe } from '../types.gen.ts';
import { defaultPullPolicy } from './image-name.ts';

const TERMINATION_MESSAGE_PATH = '/dev/termination-log';

const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 } as const;

export function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? '');
  container.terminationMessagePath ||= TERMINATION_MESSAGE_PATH;
  container.terminationMessagePolicy ||= 'File';
  container.resources ??= {};
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const variable of container.env ?? []) {
    if (variable.valueFrom?.fieldRef !== undefined) variable.valueFrom.fieldRef.apiVersion ||= 'v1';
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) defaultProbe(probe);
  }
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

function defaultProbe(probe: Probe): void {
  // Zero is "not set" here, as everywhere in Go's API types without pointers.
  probe.timeoutSeconds ||= PROBE.timeoutSeconds;
  probe.periodSeconds ||= PROBE.periodSeconds;
  probe.successThreshold ||= PROBE.successThreshold;
  probe.failureThreshold ||= PROBE.failureThreshold;
  if (probe.grpc !== undefined) probe.grpc.service ??= '';
  defaultHandler(probe);
}

function defaultHandler(handler: LifecycleHandler | Probe | undefined): void {
  if (handler?.httpGet === undefined) return;
  handler.httpGet.path ||= '/';
  handler.httpGet.scheme ||= 'HTTP';
}
