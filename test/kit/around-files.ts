import { afterAll, afterEach, expect } from 'vitest';
import { closePages, unexpectedPageErrors } from './page-errors.js';

/* Runs before each test file. */

afterEach(() => expect(unexpectedPageErrors()).toEqual([]));
afterAll(closePages);
