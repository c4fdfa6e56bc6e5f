import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launch, openPage, type WatchedPage } from './browser.js';

/** Something with a page. */
interface Program {
  stop(): Promise<void>;
}

/** A browser and a program for all tests of a file. */
export interface SetUp<P extends Program> {
  readonly program: P;
  /** A tab of its own; closed after the test, or with the file if it was opened before the first. */
  open(url: string, options?: BrowserContextOptions): Promise<WatchedPage>;
}

const START_MS = 150_000;

/** `then` runs once both are there; pages that it opens stay for all tests. */
export function setUp<P extends Program>(
  start: () => Promise<P>,
  then?: (made: SetUp<P>) => Promise<void>,
): SetUp<P> {
  let browser: Browser | undefined;
  let program: P | undefined;
  let pages: WatchedPage[] = [];
  const made: SetUp<P> = {
    get program() {
      return program!;
    },
    async open(url, options) {
      const opened = await openPage(browser!, url, options);
      pages.push(opened);
      return opened;
    },
  };
  beforeAll(async () => {
    // Each is kept as soon as it is there: what was started is stopped, though the other has failed.
    await Promise.all([
      launch().then((launched) => {
        browser = launched;
      }),
      start().then((started) => {
        program = started;
      }),
    ]);
    await then?.(made);
    pages = [];
  }, START_MS);
  afterEach(async () => {
    const open = pages;
    pages = [];
    for (const page of open) await page.close();
  });
  afterAll(async () => {
    await browser?.close();
    await program?.stop();
  });
  return made;
}
