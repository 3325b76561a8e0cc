/** controllers: one folder each, a pure reconcile or plan plus a thin shared runner. Door: how to run them all. */
export type { AttachDetachSettings } from './attach-detach/settings.ts';
export type { CertificateSigner } from './certificates/certificate-signer.ts';
export { CONTROLLER_INDEXES } from './indexes.ts';
export { checkNodeLifecycle, DEFAULT_NODE_LIFECYCLE, type NodeLifecycleSettings } from './node-lifecycle/settings.ts';
export type { NoticeSender, OutgoingMessage, SendProblem, SendResult } from './notifications/notice-sender.ts';
export { addressProblem } from './notifications/target-address.ts';
export { runControllers } from './run-controllers.ts';
export type { ControllersSettings, LocalVolumesSettings } from './controller-setup.ts';
export { type HealerSettings, runHealer } from './run-healer.ts';
export * from './controller.ts';
export * from './run-controller.ts';
