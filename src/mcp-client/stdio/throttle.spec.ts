import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PassThrough } from 'node:stream';
import { Throttle } from './throttle.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('pauses the stream when the rate is exceeded and resumes it later', () => {
  const stream = new PassThrough();
  stream.resume();
  const throttle = new Throttle(stream, 1000);
  throttle.spend(1000);
  expect(stream.isPaused()).toBe(false);
  throttle.spend(1500);
  expect(stream.isPaused()).toBe(true);
  vi.advanceTimersByTime(1499);
  expect(stream.isPaused()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(stream.isPaused()).toBe(false);
});

it('never pauses a stream within the rate', () => {
  const stream = new PassThrough();
  stream.resume();
  const throttle = new Throttle(stream, 1000);
  for (let second = 0; second < 10; second++) {
    throttle.spend(1000);
    expect(stream.isPaused()).toBe(false);
    vi.advanceTimersByTime(1000);
  }
});
