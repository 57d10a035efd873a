// compare_ajv.mjs PEERS FOLDER... - verdicts of ajv over data sets: a line "name, documents, compile ms, ns per document".
//
// The method is that of bench_schema: documents are parsed before, batches within passes, each batch's best. A set
// that ajv refuses, or of which it calls a document invalid, is told on standard error.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const require = createRequire(join(process.argv[2], 'package.json'));
const options = { strict: false, validateFormats: false, logger: false };
const BATCH = 128;
const ROUNDS_MIN = 30;
const SECONDS_MAX = 0.5;

function compiler(schema) {
    const uri = String(schema.$schema ?? '');
    if (uri.includes('draft-04')) return new (require('ajv-draft-04').default ?? require('ajv-draft-04'))(options);
    if (uri.includes('2020-12')) return new (require('ajv/dist/2020').default)(options);
    if (uri.includes('2019-09')) return new (require('ajv/dist/2019').default)(options);
    const ajv = new (require('ajv').default)(options);
    if (uri.includes('draft-06')) ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
    return ajv;
}

function passNs(validate, documents) {
    const batches = Math.ceil(documents.length / BATCH);
    const best = new Array(batches).fill(Infinity);
    const end = performance.now() + SECONDS_MAX * 1000;
    for (let round = 0; round < ROUNDS_MIN || (round < 2000 && performance.now() < end); round++) {
        if (performance.now() > end + 5000) break;
        for (let batch = 0; batch < batches; batch++) {
            const last = Math.min(documents.length, (batch + 1) * BATCH);
            const begin = process.hrtime.bigint();
            for (let at = batch * BATCH; at < last; at++) validate(documents[at]);
            best[batch] = Math.min(best[batch], Number(process.hrtime.bigint() - begin));
        }
    }
    return best.reduce((sum, ns) => sum + ns, 0);
}

function measure(folder) {
    const name = basename(folder);
    const text = readFileSync(join(folder, 'schema.json'), 'utf8');
    const lines = readFileSync(join(folder, 'instances.jsonl'), 'utf8').split('\n').filter(Boolean);
    const documents = lines.map((line) => JSON.parse(line));
    let compileMs = Infinity;
    let validate;
    for (let i = 0; i < 3; i++) {
        const schema = JSON.parse(text);
        const ajv = compiler(schema);
        const begin = performance.now();
        validate = ajv.compile(schema);
        compileMs = Math.min(compileMs, performance.now() - begin);
    }
    const invalid = documents.filter((document) => !validate(document)).length;
    if (invalid > 0) console.error(`ajv: ${name}: ${invalid} of ${documents.length} documents are not valid`);
    const ns = passNs(validate, documents) / documents.length;
    console.log([name, documents.length, compileMs.toFixed(2), ns.toFixed(1)].join('\t'));
}

for (const folder of process.argv.slice(3)) {
    try {
        measure(folder);
    } catch (error) {
        console.error(`ajv: ${basename(folder)}: ${String(error.message).slice(0, 120)}`);
    }
}
