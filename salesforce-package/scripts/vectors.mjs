// Writes DocgenVectors.cls from the vectors of the service: npm run vectors

import { writeFileSync } from 'node:fs';
import { vectorsClass, vectorsFile, vectorsSource } from './lib/vectors.mjs';

const source = await vectorsSource();
if (source === undefined) throw new Error(`There is no ${vectorsFile}.`);
writeFileSync(vectorsClass, source);
