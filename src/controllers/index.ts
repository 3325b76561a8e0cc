/** controllers: one folder each, a pure reconcile or plan plus a thin shared runner. Door: how to run them all. */
export { Informers, type InformersOptions } from './informers.ts';
export { type ControllersOptions, runControllers } from './run-controllers.ts';
export * from './run-controller.ts';
