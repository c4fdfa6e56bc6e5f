import * as z from 'zod';

/** Numbers as a fleet is described by them; every one is bounded, so that a slip of the keyboard is refused. */
export const share = z.number().min(0).max(1);
export const milliseconds = z.number().min(0).max(1e9);
export const positiveMs = z.number().positive().max(1e9);
export const count = z.int().min(1).max(100_000);
export const factor = z.number().positive().max(10_000);
export const name = z.string().min(1).max(100);
export const weight = z.number().min(0).max(1e6);

/** For a choice by weights. */
export function hasWeight(weights: Readonly<Record<string, number | undefined>>): boolean {
  return Object.values(weights).some((each) => each !== undefined && each > 0);
}

export const NO_WEIGHT = 'at least one weight must be > 0';
