export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Makes lines of what there is to say. */
export interface Lines {
  isOn(level: LogLevel): boolean;
  write(level: LogLevel, message: string, fields: object): void;
}
