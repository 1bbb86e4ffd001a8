import type { Response } from 'express';
import { Download } from '../../platform/http/download.js';

export const csvDownload = (response: Response, name: string): Download =>
  new Download(response, name, 'text/csv; charset=utf-8; header=present');
