/** Defaults of claims of devices (upstream: pkg/apis/resource/v1/defaults.go). */
import type {
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceResourceClaim,
  ResourceSlice,
} from '../types.gen.ts';

export function defaultResourceClaim({ spec }: ResourceResourceClaim): void {
  defaultClaimSpec(spec);
}

export function defaultResourceClaimTemplate({ spec }: ResourceClaimTemplate): void {
  defaultClaimSpec(spec?.spec);
}

function defaultClaimSpec(spec: ResourceClaimSpec | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const request of exactly === undefined ? firstAvailable : [exactly, ...firstAvailable])
      defaultRequest(request);
  }
}

function defaultRequest(request: ExactDeviceRequest | DeviceSubRequest): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
  for (const toleration of request.tolerations ?? []) toleration.operator ||= 'Equal';
}

export function defaultResourceSlice({ spec }: ResourceSlice): void {
  for (const { taints = [] } of spec?.devices ?? []) {
    // The time of a taint without one is set where it is stored.
    for (const taint of taints) taint.effect ||= 'NoSchedule';
  }
}
