// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// node retained.js FILE, with @memlab/core where NODE_PATH says: of each name of a heap snapshot's nodes, the bytes that memlab says its nodes retain, of nodes
// that lie below one of the same name the one on top: JSON.
const { analysis, config, utils } = require('@memlab/core');

async function main(path) {
    config.muteConsole = true;
    const snapshot = await utils.getSnapshotFromFile(path, {});
    analysis.preparePathFinder(snapshot);
    const retained = {};
    snapshot.nodes.forEach(node => {
        let above = node.dominatorNode;
        while (above && above.dominatorNode && above.id !== above.dominatorNode.id && above.name !== node.name)
            above = above.dominatorNode;
        if (!above || above.name !== node.name || above.id === node.id)
            retained[node.name] = (retained[node.name] || 0) + node.retainedSize;
    });
    console.log(JSON.stringify(retained));
}

main(process.argv[2]);
