/** The general grammar of logs: what lines of any program mean. Pure. */
export * from './advice.ts';
export * from './consequence.ts';
export * from './ending.ts';
export * from './failure.ts';
export * from './requests.ts';
export * from './work.ts';
